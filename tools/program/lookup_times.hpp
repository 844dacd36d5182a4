// SPDX-License-Identifier: Apache-2.0
/// The times of lookups, as `bench` measures them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/index.hpp"

namespace crivo::cli {

/// Keys in memory, in a pseudo-random order: the texts of those that are timed lie in that order,
/// so that a lookup waits for the index and not for its own key.
class KeySample {
 public:
  /// Keeps all keys of the files. Throws Error(io, bad_input).
  KeySample(const std::vector<std::string>& paths, const KeyFormat& format);

  std::span<const std::string_view> keys() const noexcept { return keys_; }
  /// The first of them, at most 2^20.
  std::span<const std::string_view> timed() const noexcept;

 private:
  std::deque<std::string> storage_;
  std::vector<std::string_view> keys_;
};

/// One of the ways to look many keys up: it returns how many are, or may be, in the set.
using Lookup = std::uint64_t (*)(OpenIndex& index, std::span<const std::string_view> keys);

/// Statistics of times in nanoseconds.
struct Times {
  double least = 0;
  double median = 0;
  double spread = 0;  ///< the upper quartile less the lower one
  double most = 0;
  std::size_t count = 0;
};

/// The processor time that a lookup takes: one for each of several rounds over `keys` (a small set
/// several times a round), which were looked up before. What the clock takes itself is taken off.
/// Throws what the lookup does.
Times time_rounds(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup);

/// The time that passes in each of the first lookups, by itself, in an index that was opened just
/// now.
Times time_first_touch(OpenIndex& index, std::span<const std::string_view> keys);

/// The part of the keys that are, or may be, in the set. Looks all of them up once.
double found_in(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup);

}  // namespace crivo::cli
