// SPDX-License-Identifier: Apache-2.0
#include "base/sink.hpp"

#include <array>

#include "base/arithmetic.hpp"

namespace crivo::base {

void Sink::align(std::uint64_t unit) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  append(ByteView(kZeros).first(base::align_up(size(), unit) - size()));
}

}  // namespace crivo::base
