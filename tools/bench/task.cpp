// SPDX-License-Identifier: Apache-2.0
#include "bench/task.hpp"

#include "base/arithmetic.hpp"

namespace crivo::bench {

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::filter:
      return "filter";
    case Kind::map:
      return "map";
    case Kind::mphf:
      break;
  }
  return "mphf";
}

std::vector<std::uint64_t> make_values(std::uint64_t n, unsigned bits) {
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = base::mix64(i + 1) >> (64 - bits);
  return values;
}

}  // namespace crivo::bench
