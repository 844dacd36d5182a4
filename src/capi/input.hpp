// SPDX-License-Identifier: Apache-2.0
/// What crivo_input is.
#pragma once

#include "crivo.h"
#include "crivo/keys.hpp"

struct crivo_input {
  crivo::KeyInput input;
};
