// SPDX-License-Identifier: Apache-2.0
/// A bit for each rank, filled in blocks when they are first asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/arithmetic.hpp"

namespace crivo::records {

/// For any number of threads. Bits are only ever set. Memory: a bit a rank, as it is touched.
class RankMarks {
 public:
  static constexpr std::uint64_t kBlock = 4096;

  /// Throws std::bad_alloc.
  explicit RankMarks(std::uint64_t ranks)
      : ready_(zeros(base::div_ceil(ranks, kBlock * kWord))),
        bits_(zeros(base::div_ceil(ranks, kWord))) {}

  /// Whether all marks of the rank's block are set.
  bool is_ready(std::uint64_t rank) const noexcept {
    return is_set(ready_, rank / kBlock, std::memory_order_acquire);
  }
  void make_ready(std::uint64_t rank) const noexcept {
    set_bit(ready_, rank / kBlock, std::memory_order_release);
  }
  bool is_marked(std::uint64_t rank) const noexcept {
    return is_set(bits_, rank, std::memory_order_relaxed);
  }
  void mark(std::uint64_t rank) const noexcept { set_bit(bits_, rank, std::memory_order_relaxed); }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kWord = 64;
  struct Free {
    void operator()(Word* words) const noexcept { std::free(words); }
  };
  using Words = std::unique_ptr<Word[], Free>;

  /// Of calloc(), which takes pages that are zero from the system and touches none.
  static Words zeros(std::uint64_t words) {
    Words made(static_cast<Word*>(std::calloc(words + 1, sizeof(Word))));
    if (!made) throw std::bad_alloc();
    return made;
  }
  static bool is_set(const Words& words, std::uint64_t bit, std::memory_order order) noexcept {
    return (std::atomic_ref(words[bit / kWord]).load(order) >> bit % kWord & 1) != 0;
  }
  static void set_bit(const Words& words, std::uint64_t bit, std::memory_order order) noexcept {
    std::atomic_ref(words[bit / kWord]).fetch_or(Word{1} << bit % kWord, order);
  }

  Words ready_;
  Words bits_;
};

}  // namespace crivo::records
