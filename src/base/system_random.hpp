// SPDX-License-Identifier: Apache-2.0
/// Random bits of the operating system, which nobody can foresee.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdint>

#include "base/file_descriptor.hpp"

namespace crivo::base {

/// 64 of them (getrandom(2)). Throws Error(io) if there are none.
inline std::uint64_t system_random() {
  std::uint64_t value = 0;
  ssize_t got = 0;
  do {  // so few bytes come all at once
    got = ::getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof value) throw_system_error("the system has no random numbers", errno);
  return value;
}

}  // namespace crivo::base
