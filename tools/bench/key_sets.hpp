// SPDX-License-Identifier: Apache-2.0
/// The keys of a run: the set that is built over, and what is looked up in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/peer.h"
#include "gen/generator.hpp"

namespace crivo::bench {

/// Keys in memory as peer.h hands them out; a number's bytes are those of the number itself.
class KeySet {
 public:
  KeySet() = default;
  KeySet(KeySet&&) noexcept = default;
  KeySet& operator=(KeySet&&) noexcept = default;

  /// Keys [first, first + count) of the sequence of (kind, seed), in its order.
  static KeySet generate(gen::Kind kind, std::uint64_t seed, std::uint64_t first,
                         std::uint64_t count);
  /// `count` of these keys, drawn at random without repetition and in random order. They are copied
  /// into one run of memory in the order of lookup, so that a lookup of the next key does not wait
  /// for its text.
  KeySet sample(std::uint64_t count, std::uint64_t seed) const;

  std::size_t size() const noexcept { return keys_.size(); }
  std::uint64_t text_bytes() const noexcept;
  /// `count` keys from `begin` on.
  crivo_bench_keys view(std::size_t begin, std::size_t count) const noexcept;
  crivo_bench_keys view() const noexcept { return view(0, size()); }

 private:
  void point_at_numbers();

  std::deque<std::string> texts_;  ///< many keys in each, one after another
  std::vector<std::uint64_t> numbers_;
  std::vector<crivo_bench_key> keys_;
};

struct KeySets {
  KeySet set;
  KeySet present;  ///< a sample of the set
  KeySet absent;   ///< keys of the same look, none of them in the set
};

/// Keys [0, n) of the sequence that `crivo gen` writes, `present` (at most n) of them, and `absent`
/// from beyond n. About 16 bytes a key beside its text.
KeySets make_key_sets(gen::Kind kind, std::uint64_t seed, std::uint64_t n, std::uint64_t present,
                      std::uint64_t absent);

}  // namespace crivo::bench
