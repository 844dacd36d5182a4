// SPDX-License-Identifier: Apache-2.0
/// The input behind a crivo_input.
#pragma once

#include "crivo.h"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

struct crivo_input {
  crivo::KeyInput input;
};

namespace crivo::capi {

/// An input that the program has to give. Throws Error(usage).
inline const KeyInput& given_input(const crivo_input* input) {
  if (input == nullptr) throw Error(ErrorKind::usage, "the input is NULL");
  return input->input;
}

}  // namespace crivo::capi
