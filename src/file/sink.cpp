#include "file/sink.hpp"

#include <array>

#include "util/bits.hpp"

namespace crivo::file {

void Sink::align(std::uint64_t unit) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  append(ByteView(kZeros).first(util::align_up(size(), unit) - size()));
}

}  // namespace crivo::file
