// SPDX-License-Identifier: Apache-2.0
/// Lookups of keys of many groups at once, in whatever order the groups come.
///
///     key ──▶ those of its class that wait ──▶ the class's filter ──▶ those that pass ──▶ one bit
///
/// Some keys of a class wait for each other, so that their cache misses overlap and the processor
/// foresees which filter is asked; as they are few, all that waits stays in the first cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "structures/exact/exact_set.hpp"

namespace crivo::exact {

/// `Rest` is called with the number of a key, and whether it is flipped, where the first half of
/// its hash does not tell its bit.
template <typename Rest>
class ClassedLookups {
 public:
  /// Writes the answers of keys to their numbers in `answers`, as those of ExactAnswer.
  ClassedLookups(const ExactSet& set, std::uint8_t* answers, Rest rest) noexcept
      : set_(set), answers_(answers), rest_(rest) {}

  /// A key of a group of that class whose hash there begins with `hi`. A flipped one gets the other
  /// answer than the set's.
  [[gnu::always_inline]] void add(Class kind, std::uint64_t hi, std::size_t number, bool flipped) {
    const auto of_kind = static_cast<unsigned>(kind);
    const std::size_t place = sizes_[of_kind]++;
    waiting_[of_kind][place] = {hi, number << 1 | (flipped ? 1 : 0)};
    if (place + 1 == kTogether) ask(of_kind);
  }
  /// Answers for all that wait.
  void finish() {
    for (unsigned kind = 0; kind < ExactSet::kRules; ++kind) {
      if (sizes_[kind] != 0) ask(kind);
    }
    ask_bits();
  }

 private:
  static constexpr std::size_t kTogether = 64;

  static std::size_t number_of(const Hash128& key) noexcept { return key.lo >> 1; }
  static bool is_flipped(const Hash128& key) noexcept { return (key.lo & 1) != 0; }

  [[gnu::noinline]] void ask(unsigned of_kind) {
    const auto kind = static_cast<Class>(of_kind);
    const auto keys = std::span<const Hash128>(waiting_[of_kind]).first(sizes_[of_kind]);
    sizes_[of_kind] = 0;
    std::array<bool, kTogether> found;
    const bool have_bits = set_.ask_filter(kind, keys, found.data());
    const bool refused = set_.rule(kind).refused != 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers_[number_of(keys[i])] = refused != is_flipped(keys[i]) ? 1 : 0;
      passed_[passed_size_] = keys[i];
      passed_size_ += have_bits && found[i] ? 1 : 0;
    }
    if (passed_size_ >= kTogether) ask_bits();
  }

  void ask_bits() {
    const auto keys = std::span<const Hash128>(passed_).first(passed_size_);
    if (keys.empty()) return;
    passed_size_ = 0;
    std::array<std::uint8_t, 2 * kTogether> bits;
    set_.bits(keys, bits.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers_[number_of(keys[i])] = (bits[i] & 1) != (is_flipped(keys[i]) ? 1 : 0) ? 1 : 0;
      if (bits[i] >= detail::kWholeHash) [[unlikely]]
        rest_(number_of(keys[i]), is_flipped(keys[i]));
    }
  }

  const ExactSet& set_;
  std::uint8_t* answers_;
  Rest rest_;
  std::array<std::uint8_t, ExactSet::kRules> sizes_{};
  std::size_t passed_size_ = 0;
  // Not zeroed: most classes have no keys. In the place of the second half of a hash, which neither
  // filters nor the first question for a bit look at, there is the key's number and whether it is
  // flipped.
  std::array<std::array<Hash128, kTogether>, ExactSet::kRules> waiting_;
  std::array<Hash128, 2 * kTogether> passed_;
};

}  // namespace crivo::exact
