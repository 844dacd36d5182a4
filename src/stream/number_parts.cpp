// SPDX-License-Identifier: Apache-2.0
#include "stream/number_parts.hpp"

#include <utility>

namespace crivo::stream {

void sort_numbers(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& spare,
                  unsigned end_bit) {
  constexpr unsigned kDigitBits = 9;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  spare.resize(numbers.size());
  for (unsigned bit = 0; bit < end_bit; bit += kDigitBits) {
    const auto digit_of = [bit](std::uint64_t number) {
      return static_cast<std::size_t>(number >> bit) & (kDigits - 1);
    };
    std::array<std::size_t, kDigits> places{};
    for (const std::uint64_t number : numbers) ++places[digit_of(number)];
    if (std::ranges::find(places, numbers.size()) != places.end()) continue;
    std::size_t begin = 0;
    for (std::size_t& place : places) begin += std::exchange(place, begin);
    for (const std::uint64_t number : numbers) spare[places[digit_of(number)]++] = number;
    numbers.swap(spare);
  }
}

NumberParts::NumberParts(unsigned end_bit, base::Scratch& scratch)
    : shift_(end_bit - std::min(end_bit, kPartBits)), spool_(&scratch), room_(kParts * kHeld) {}

void NumberParts::keep(std::size_t part) {
  blocks_[part].push_back(static_cast<std::uint32_t>(spool_.size() / kBlockBytes));
  spool_.append(std::as_bytes(std::span<const std::uint64_t>(room_).subspan(part * kHeld, kHeld)));
  held_[part] = 0;
}

}  // namespace crivo::stream
