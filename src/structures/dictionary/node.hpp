// SPDX-License-Identifier: Apache-2.0
/// How a node of a directory keeps its texts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "structures/dictionary/byte_masks.hpp"
#include "structures/dictionary/directory.hpp"

namespace crivo::dictionary {

inline constexpr std::size_t kNarrowHead = 4;
inline constexpr std::size_t kWideHead = 8;
inline constexpr std::size_t kSlice = sizeof(std::uint64_t);

/// How a node keeps its texts, byte 3 of it.
enum class NodeForm : std::uint8_t {
  narrow,  ///< what each has behind the one before, in numbers of 1 and 2 bytes
  wide,    ///< the same, in numbers of 4 bytes
  slices   ///< the first 8 bytes of each, which are compared at once, and what follows
};

/// The texts of a node: what each has in common with the one before, the first byte behind that,
/// where what is behind that byte ends among the rests of all, and these.
template <typename Shared, typename End>
struct NodeColumns {
  static constexpr bool kNarrow = sizeof(Shared) == 1;
  static constexpr std::size_t size(std::size_t texts) {
    return texts * (sizeof(Shared) + 1 + sizeof(End));
  }

  std::size_t shared(unsigned i) const noexcept {
    return base::load_le<Shared>(at + i * sizeof(Shared));
  }
  int first(unsigned i) const noexcept { return static_cast<int>(at[texts * sizeof(Shared) + i]); }
  std::size_t rest_end(unsigned i) const noexcept {
    return base::load_le<End>(at + texts * (sizeof(Shared) + 1) + i * sizeof(End));
  }
  std::string_view rest(unsigned i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : rest_end(i - 1);
    const std::size_t end = rest_end(i);
    if (begin > end || end > rest_bytes) return {};
    return {reinterpret_cast<const char*>(at) + size(texts) + begin, end - begin};
  }
  /// The first text from i on that has less than `matched` in common, or as much and then at least
  /// `byte`.
  unsigned next(unsigned i, std::size_t matched, int byte) const noexcept {
    if constexpr (kNarrow) {
      if (matched <= 0xff) {
        const std::uint32_t found = stops(static_cast<unsigned>(matched), byte) & ~std::uint32_t{0}
                                                                                      << i;
        return std::min(static_cast<unsigned>(std::countr_zero(found)), texts);
      }
    }
    while (i < texts && (shared(i) > matched || (shared(i) == matched && first(i) < byte))) ++i;
    return i;
  }

  /// Whether the rests stand one behind the other in the node, and no text has more in common with
  /// the one before than that has.
  bool is_sound() const noexcept {
    std::size_t begin = 0;
    std::size_t length = 0;  // of the text before
    for (unsigned i = 0; i < texts; ++i) {
      const std::size_t end = rest_end(i);
      if (shared(i) > length || end < begin || end > rest_bytes) return false;
      length = shared(i) + 1 + end - begin;
      begin = end;
    }
    return true;
  }

  const std::byte* at;
  unsigned texts;
  std::size_t rest_bytes;

 private:
  /// A bit for each of 32 texts.
  std::uint32_t stops(unsigned matched, int byte) const noexcept {
    std::uint32_t mask = 0;
#if defined(__SSE2__)
    const __m128i bound = _mm_set1_epi8(static_cast<char>(matched));
    const __m128i least = _mm_set1_epi8(static_cast<char>(std::clamp(byte, 0, 255)));
    const unsigned all = byte > 255 ? 0 : 0xffff;
    for (int i = 0; i < 2; ++i) {
      __m128i shared;
      __m128i first;
      std::memcpy(&shared, at + 16 * i, sizeof shared);
      std::memcpy(&first, at + texts + 16 * i, sizeof first);
      const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(shared, bound), shared);
      const __m128i same = _mm_cmpeq_epi8(shared, bound);
      const __m128i up = _mm_cmpeq_epi8(_mm_max_epu8(first, least), first);
      const auto is_low = static_cast<unsigned>(_mm_movemask_epi8(_mm_andnot_si128(same, low)));
      const auto is_up = static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(same, up)));
      mask |= (is_low | (is_up & all)) << (16 * i);
    }
#else
    for (unsigned i = 0; i < texts; ++i) {
      const bool stop = shared(i) < matched || (shared(i) == matched && first(i) >= byte);
      mask |= std::uint32_t{stop} << i;
    }
#endif
    return mask;
  }
};

/// A node whose texts begin with a slice each: their first bytes as a number. Behind the slices it
/// has where what follows each of them ends, and all that follows.
class Slices {
 public:
  static constexpr std::size_t size(std::size_t texts) { return texts * (kSlice + 1); }

  Slices(base::ByteView bytes, unsigned texts) noexcept
      : at_(bytes.data()), texts_(texts), tails_(bytes.subspan(size(texts))) {}

  /// How many texts are at or below the query, of which `skip` bytes are known. All slices are
  /// compared: no branch depends on them.
  unsigned count_below(const Query& query, std::size_t skip) const noexcept {
    const std::uint64_t sought = query.slice(skip);
    unsigned count = 0;
    if (texts_ == kFanout - 1) [[likely]] {
#pragma GCC unroll 31
      for (unsigned i = 0; i < kFanout - 1; ++i) count += slice(i) <= sought ? 1 : 0;
    } else {
      for (unsigned i = 0; i < texts_; ++i) count += slice(i) <= sought ? 1 : 0;
    }
    while (count != 0 && slice(count - 1) == sought && is_above(count - 1, query, skip + kSlice))
      --count;
    return count;
  }

  /// Whether what follows the slices stands one behind the other in the node.
  bool is_sound() const noexcept {
    std::size_t begin = 0;
    for (unsigned i = 0; i < texts_; ++i) {
      const std::size_t end = tail_end(i);
      if (end < begin || end > tails_.size()) return false;
      begin = end;
    }
    return true;
  }

 private:
  std::uint64_t slice(unsigned i) const noexcept {
    return base::load_le<std::uint64_t>(at_ + i * kSlice);
  }
  std::size_t tail_end(unsigned i) const noexcept {
    return static_cast<std::size_t>(at_[texts_ * kSlice + i]);
  }
  /// Whether what follows slice i is above what the query has from byte `from` on.
  bool is_above(unsigned i, const Query& query, std::size_t from) const noexcept {
    const std::size_t begin = i == 0 ? 0 : tail_end(i - 1);
    const std::size_t end = tail_end(i);
    if (begin >= end || end > tails_.size()) return false;
    const std::string_view tail(reinterpret_cast<const char*>(tails_.data()) + begin, end - begin);
    const std::size_t same =
        base::shared_bytes(tail, query.text().substr(std::min(query.size(), from)));
    return same != tail.size() &&
           static_cast<int>(static_cast<unsigned char>(tail[same])) > query.byte(from + same);
  }

  const std::byte* at_;
  unsigned texts_;
  base::ByteView tails_;
};

using Texts = std::vector<std::string>;

}  // namespace crivo::dictionary
