// SPDX-License-Identifier: Apache-2.0
/// How many different hashes are among any number of them, exactly and about.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo::stream {

/// Counts up to `most`, in memory for three times as many (or some 2^16) and O(log(most)) time a
/// hash.
class DistinctCount {
 public:
  explicit DistinctCount(std::uint64_t most);

  void add(const Hash128& hash) {
    added_.push_back(hash);
    if (added_.size() == together_) merge();
  }
  /// How many differ; where these are more than `most`, some number above it.
  std::uint64_t finish();
  /// Whether they are more than `most`, as far as is known: nothing more need be added.
  bool is_over() const noexcept { return distinct_.size() > most_; }

 private:
  void merge();

  std::uint64_t most_;
  std::size_t together_;
  std::vector<Hash128> distinct_;  ///< ascending
  std::vector<Hash128> added_;
};

inline DistinctCount::DistinctCount(std::uint64_t most)
    : most_(most), together_(std::max<std::uint64_t>(most, std::uint64_t{1} << 14)) {}

inline std::uint64_t DistinctCount::finish() {
  merge();
  return distinct_.size();
}

inline void DistinctCount::merge() {
  std::ranges::sort(added_);
  const auto again = std::ranges::unique(added_);
  added_.erase(again.begin(), again.end());
  std::vector<Hash128> all;
  all.reserve(distinct_.size() + added_.size());
  std::ranges::set_union(distinct_, added_, std::back_inserter(all));
  distinct_ = std::move(all);
  added_.clear();
}

/// A HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, AofA 2007) of 2^14 registers: 16 KiB, with a
/// standard error of 0.8 %.
class DistinctEstimate {
 public:
  void add(Hash128 hash) noexcept {
    const std::uint64_t mixed = base::mix64(hash.hi ^ hash.lo);
    std::uint8_t& most = registers_[mixed >> (64 - kBits)];
    const auto zeros = static_cast<std::uint8_t>(
        std::countl_zero(mixed << kBits | std::uint64_t{1} << (kBits - 1)));
    most = std::max(most, static_cast<std::uint8_t>(zeros + 1));
  }

  double count() const noexcept {
    const auto m = static_cast<double>(registers_.size());
    double sum = 0;
    for (const std::uint8_t most : registers_) sum += std::ldexp(1.0, -most);
    const double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    const auto unused = static_cast<double>(std::ranges::count(registers_, 0));
    // If the hashes are few, the number of registers without any tells more.
    return estimate <= 2.5 * m && unused != 0 ? m * std::log(m / unused) : estimate;
  }

 private:
  static constexpr unsigned kBits = 14;
  std::array<std::uint8_t, std::size_t{1} << kBits> registers_{};
};

}  // namespace crivo::stream
