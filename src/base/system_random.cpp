// SPDX-License-Identifier: Apache-2.0
#include "base/system_random.hpp"

#include <sys/random.h>

#include <cerrno>

#include "base/file_descriptor.hpp"

namespace crivo::base {

std::uint64_t system_random() {
  std::uint64_t value = 0;
  ssize_t got = 0;
  do {  // so few bytes come all at once
    got = ::getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof value) throw_system_error("the system has no random numbers", errno);
  return value;
}

}  // namespace crivo::base
