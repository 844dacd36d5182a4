// SPDX-License-Identifier: Apache-2.0
/// Reproducible key sets of any size, for tests and benchmarks: `crivo gen urls|words|ints`.
///
/// A generator is an endless-looking sequence of distinct keys that is addressed by index: key i is
/// a function of (kind, seed, i) alone. So a set of n keys is the prefix [0, n) of the sequence,
/// memory is constant, any block can be made by itself or on any thread, and two index ranges that
/// do not meet give two key sets without a common key. That is how absent keys of the same look are
/// made: keys [0, n) are the set, keys [n, 2n) (`--skip n`) are absent from it, with certainty.
///
/// Distinctness holds by construction, nothing is remembered: see urls.hpp and words.hpp for the
/// argument. Only integer arithmetic is used, so every machine gives the same bytes. Keys come in
/// pseudo-random order, not sorted.
///
/// Two seeds give different sequences. Two ints sets of n keys share n^2 / 2^64 keys on average;
/// two url sets of 10^7 about one key in 2,000 (home pages and bare domains); two word sets of 10^7
/// about a fifth (there are only so many short words). Where absent keys must be absent use the
/// index, not the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace crivo::gen {

enum class Kind {
  urls,   ///< like a crawl's URLs: 7 to 493 bytes, mean about 57, many URLs a host
  words,  ///< like a text collection's vocabulary: 1 to 25 bytes, mean about 8.5
  ints,   ///< 64-bit integers, pseudo-random over the whole range
};

/// How keys are written one after another.
enum class Form {
  lines,   ///< each key, then LF
  nul,     ///< each key, then NUL
  binary,  ///< ints only: 8 bytes a key, little-endian, no delimiter
};

class Generator {
 public:
  virtual ~Generator() = default;

  /// How many keys the sequence has: 2^40 for urls and words, 2^64 - 1 for ints.
  virtual std::uint64_t capacity() const noexcept = 0;

  /// Throws Error(usage) if the keys [first, first + count) go beyond capacity().
  void check_range(std::uint64_t first, std::uint64_t count) const;

  /// Appends keys [first, first + count) to `out`. The bytes do not depend on how a range is cut
  /// into blocks. Const and thread-safe; O(count) time, no memory beyond `out`. Throws as
  /// check_range() does, before anything is appended.
  void append_block(std::uint64_t first, std::uint64_t count, std::string& out) const;

 private:
  virtual void append_valid_block(std::uint64_t first, std::uint64_t count,
                                  std::string& out) const = 0;
};

/// A generator of `kind` keys for `seed`. Throws Error(usage) for binary keys that are not ints.
std::unique_ptr<Generator> make_generator(Kind kind, std::uint64_t seed, Form form = Form::lines);

/// Takes the bytes of some `keys`, which follow those of the call before.
using TakeBlock = std::function<void(std::string_view bytes, std::uint64_t keys)>;

/// Makes keys [first, first + count) on up to `threads` threads (0: one per core) and hands them to
/// `take`, a block of some thousand at a time, one call at a time and in order: the same bytes for
/// any number of threads. What `take` throws goes through; otherwise as append_block(). Memory:
/// some blocks a thread.
void generate(const Generator& generator, std::uint64_t first, std::uint64_t count,
              unsigned threads, const TakeBlock& take);

}  // namespace crivo::gen
