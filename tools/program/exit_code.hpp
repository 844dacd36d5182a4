// SPDX-License-Identifier: Apache-2.0
/// How a program ends.
#pragma once

#include "crivo/error.hpp"

namespace crivo {

/// The exit code of `crivo`, and of the programs beside it, for an error of this kind.
constexpr int exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::mismatch:
      return 1;
    case ErrorKind::usage:
      return 2;
    case ErrorKind::bad_input:
      return 3;
    case ErrorKind::corrupt:
    case ErrorKind::too_new:
    case ErrorKind::too_old:
      return 4;
    case ErrorKind::io:
    case ErrorKind::cancelled:
      return 5;
  }
  return 5;
}

}  // namespace crivo
