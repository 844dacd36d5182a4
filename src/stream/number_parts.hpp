// SPDX-License-Identifier: Apache-2.0
/// Numbers of 64 bits in ascending order, of any number, within a budget of memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/spool.hpp"

namespace crivo::stream {

/// Sorts numbers that agree in all bits from `end_bit` on (0 is the lowest). O(numbers) for each
/// nine bits, a radix sort from the lowest ones up; `spare` is room for it.
inline void sort_numbers(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& spare,
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

/// Numbers whose highest bits are the same, dealt out by the next ones. What does not fit into the
/// scratch's memory is in temporary files; 4 MiB more are room for the dealing.
class NumberParts {
 public:
  static constexpr unsigned kPartBits = 10;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;

  /// Takes numbers that agree in all bits from `end_bit` on, which is at least 1.
  NumberParts(unsigned end_bit, base::Scratch& scratch);

  /// Throws Error(io).
  void add(std::uint64_t number) {
    const auto part = static_cast<std::size_t>((number >> shift_) & (kParts - 1));
    std::size_t& held = held_[part];
    room_[part * kHeld + held] = number;
    if (++held == kHeld) keep(part);
  }

  std::uint64_t size(std::size_t part) const noexcept {
    return blocks_[part].size() * kHeld + held_[part];
  }
  /// Calls use(numbers) for some of a part's numbers at a time. Throws Error(io).
  template <typename Use>
  void for_each(std::size_t part, const Use& use) const {
    std::array<std::uint64_t, kHeld> block;
    for (const std::uint32_t at : blocks_[part]) {
      spool_.read(at * kBlockBytes, std::as_writable_bytes(std::span(block)));
      use(std::span<const std::uint64_t>(block));
    }
    use(std::span<const std::uint64_t>(room_).subspan(part * kHeld, held_[part]));
  }
  /// The numbers of a part agree in all bits from there on; 0: they are the same.
  unsigned end_bit() const noexcept { return shift_; }

 private:
  static constexpr std::size_t kHeld = 512;  ///< numbers of a part that are not in a block
  static constexpr std::uint64_t kBlockBytes = kHeld * sizeof(std::uint64_t);

  void keep(std::size_t part);

  unsigned shift_;
  base::Spool spool_;
  std::vector<std::uint64_t> room_;
  std::array<std::size_t, kParts> held_{};
  std::array<std::vector<std::uint32_t>, kParts> blocks_;  ///< of the spool
};

/// Sorts parts on all threads and hands them on in order. What a thread sorts in is a `Room`, with
/// `numbers` and whatever else it is filled with.
template <typename Room>
class SortedNumbers {
 public:
  SortedNumbers(unsigned threads, std::uint64_t memory_bytes, base::Scratch& scratch)
      : threads_(threads), scratch_(scratch) {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
    constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
    most_ = std::clamp(memory_bytes / (64 * std::uint64_t{threads}), kLeast, kMost) /
            sizeof(std::uint64_t);
  }

  /// Calls, for some numbers after others in order, take(room) after fill(room) was called on some
  /// thread, when room.numbers had been read and sorted; or repeat(number, times).
  template <typename Fill, typename Take, typename Repeat>
  void for_each(const NumberParts& parts, const Fill& fill, const Take& take,
                const Repeat& repeat) {
    for (std::size_t part = 0; part != NumberParts::kParts;) {
      std::size_t past = part;
      while (past != NumberParts::kParts && parts.size(past) <= most_) ++past;
      const std::size_t begin = part;
      base::parallel_ordered(
          threads_, past - begin,
          [&](std::uint64_t i) {
            auto room = rooms_.take();
            room->numbers.clear();
            parts.for_each(begin + i, [&](std::span<const std::uint64_t> some) {
              room->numbers.insert(room->numbers.end(), some.begin(), some.end());
            });
            sort_numbers(room->numbers, room->spare, parts.end_bit());
            fill(*room);
            return room;
          },
          [&](std::uint64_t, const typename base::IdlePool<Room>::Handle& room) { take(*room); });
      if (past != NumberParts::kParts) divide(parts, past, fill, take, repeat);
      part = std::min(past + 1, NumberParts::kParts);
    }
  }

 private:
  /// A part that is too large to be sorted at once.
  template <typename Fill, typename Take, typename Repeat>
  void divide(const NumberParts& parts, std::size_t part, const Fill& fill, const Take& take,
              const Repeat& repeat) {
    if (parts.end_bit() == 0) {
      std::uint64_t number = 0;
      parts.for_each(part, [&](std::span<const std::uint64_t> some) {
        if (!some.empty()) number = some.front();
      });
      repeat(number, parts.size(part));
      return;
    }
    const auto divided = std::make_unique<NumberParts>(parts.end_bit(), scratch_);
    parts.for_each(part, [&](std::span<const std::uint64_t> some) {
      for (const std::uint64_t number : some) divided->add(number);
    });
    for_each(*divided, fill, take, repeat);
  }

  unsigned threads_;
  base::Scratch& scratch_;
  std::uint64_t most_;  ///< numbers that are sorted at once
  base::IdlePool<Room> rooms_{[] { return std::make_unique<Room>(); }};
};

inline NumberParts::NumberParts(unsigned end_bit, base::Scratch& scratch)
    : shift_(end_bit - std::min(end_bit, kPartBits)), spool_(&scratch), room_(kParts * kHeld) {}

inline void NumberParts::keep(std::size_t part) {
  blocks_[part].push_back(static_cast<std::uint32_t>(spool_.size() / kBlockBytes));
  spool_.append(std::as_bytes(std::span<const std::uint64_t>(room_).subspan(part * kHeld, kHeld)));
  held_[part] = 0;
}

}  // namespace crivo::stream
