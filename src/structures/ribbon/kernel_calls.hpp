// SPDX-License-Identifier: Apache-2.0
/// The calls of a kernel, of what sums up a row in one processor's way (`Sum`). Each file of
/// kernels includes this last and compiles them for its own processor: CRIVO_TARGET is the
/// attribute that says which.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/kernels.hpp"
#include "structures/ribbon/layers.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {
namespace {  // NOLINT: each file is to have its own

/// The lowest 0 to 64 bits.
inline std::uint64_t lowest(std::uint64_t value, unsigned width) noexcept {
  return width == 0 ? 0 : value & (~std::uint64_t{0} >> (64 - width));
}
/// Byte `block` of the coefficients, eight times.
inline std::uint64_t in_every_byte(std::uint64_t coefficients, unsigned block) noexcept {
  return ((coefficients >> (8 * block)) & 0xff) * 0x0101010101010101U;
}

/// Rows that are found, and whose bytes are asked for, before the first of them is looked at.
inline constexpr std::size_t kBatch = 32;

/// Asks for the lines of so many bytes.
[[gnu::always_inline]] inline void prefetch(const std::byte* begin, std::size_t size) noexcept {
  const std::byte* const line = begin - reinterpret_cast<std::uintptr_t>(begin) % 64;
  for (const std::byte* at = line; at < begin + size; at += 64) __builtin_prefetch(at);
}

/// The value of a row of which some blocks are narrow and some are not. Its parts come apart, so
/// that they stay in registers.
[[gnu::noinline]] inline std::uint64_t uneven_value(const std::byte* block,
                                                    std::uint64_t coefficients, unsigned width,
                                                    unsigned even) noexcept {
  std::uint64_t value = 0;
  for (unsigned column = 0; column < width; column += 8) {
    const std::byte* at = block + column;
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < kRowBlocks; ++i) {
      sum ^= base::load_le<std::uint64_t>(at) & in_every_byte(coefficients, i);
      at += width + (i < even ? 0 : 1);
    }
    value |= byte_parities(sum) << column;
  }
  return lowest(value, width);  // the bytes past the last column are the next block's
}

/// The value of a row. `Sum` has kWidth (of all values, or 0), kNarrow (whether there may be narrow
/// blocks) and value(), of a row whose blocks are alike.
template <typename Sum, typename Row>
[[gnu::always_inline]] CRIVO_TARGET inline std::uint64_t sum(const Row& row) noexcept {
  if constexpr (Sum::kNarrow) {
    if (row.even != kRowBlocks) [[unlikely]]
      return uneven_value(row.block, row.coefficients, row.width, row.even);
  }
  return Sum::value(row);
}
template <typename Sum>
CRIVO_TARGET void row_values(std::span<const Row> rows, std::uint64_t* values) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = sum<Sum>(rows[i]);
}

/// The lookups of `Rows`, one of Layers, LongLayers and SmallSet.
template <typename Sum, typename Rows>
struct Lookups {
  using Row = typename Rows::Row;

  [[gnu::always_inline]] CRIVO_TARGET static inline bool find(const Rows& rows, std::uint64_t hi,
                                                              std::uint64_t lo, Row& row) noexcept {
    const unsigned width = Sum::kWidth != 0 ? Sum::kWidth : rows.width().bits;
    return rows.template find_first<Sum::kNarrow>(hi, lo, width, row);
  }

  /// A key that the first layer does not hold, or whose pages were not compared yet. Apart from the
  /// others, which so need no stack.
  [[gnu::noinline]] CRIVO_TARGET static std::uint64_t apart_value(const Rows& rows,
                                                                  std::uint64_t hi,
                                                                  std::uint64_t lo) noexcept {
    return sum<Sum>(rows.find_anywhere({hi, lo}));
  }
  [[gnu::noinline]] CRIVO_TARGET static bool apart_contains(const Rows& rows,
                                                            std::uint64_t hi) noexcept {
    const Row row = rows.find_anywhere({hi, hi});
    return is_fingerprint(sum<Sum>(row), hi, row.width);
  }

  CRIVO_TARGET static std::uint64_t value(const void* of, std::uint64_t hi,
                                          std::uint64_t lo) noexcept {
    const auto& rows = *static_cast<const Rows*>(of);
    Row row;
    if (!find(rows, hi, lo, row)) [[unlikely]]
      return apart_value(rows, hi, lo);
    return sum<Sum>(row);
  }

  CRIVO_TARGET static bool contains(const void* of, std::uint64_t hi, std::uint64_t) noexcept {
    const auto& rows = *static_cast<const Rows*>(of);
    Row row;
    if (!find(rows, hi, hi, row)) [[unlikely]]
      return apart_contains(rows, hi);
    return is_fingerprint(sum<Sum>(row), hi, row.width);
  }

  /// Calls take(i, row) for the row of each of the hashes, of which a filter's keys are known by
  /// the first half, some after its bytes were asked for.
  template <bool kFilter, typename Take>
  [[gnu::always_inline]] CRIVO_TARGET static inline void each_row(const Rows& rows,
                                                                  std::span<const Hash128> hashes,
                                                                  Take&& take) noexcept {
    if constexpr (std::is_same_v<Rows, SmallSet>) {  // which is in a cache
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        const std::uint64_t hi = hashes[i].hi;
        const std::uint64_t lo = kFilter ? hi : hashes[i].lo;
        Row row;
        if (!find(rows, hi, lo, row)) [[unlikely]]
          row = rows.find_anywhere({hi, lo});
        take(i, row);
      }
      return;
    }
    std::array<Row, kBatch> found;
    for (std::size_t begin = 0; begin < hashes.size(); begin += kBatch) {
      const auto some = hashes.subspan(begin, std::min(kBatch, hashes.size() - begin));
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::uint64_t hi = some[i].hi;
        const std::uint64_t lo = kFilter ? hi : some[i].lo;
        if (!find(rows, hi, lo, found[i])) [[unlikely]]
          found[i] = rows.find_anywhere({hi, lo});
        prefetch(found[i].block, bytes_of(found[i]));
      }
      for (std::size_t i = 0; i < some.size(); ++i) take(begin + i, found[i]);
    }
  }

  CRIVO_TARGET static void values(const void* of, std::span<const Hash128> hashes,
                                  std::uint64_t* values) noexcept {
    each_row<false>(
        *static_cast<const Rows*>(of), hashes,
        [values](std::size_t i, const Row& row) CRIVO_TARGET
        __attribute__((always_inline)) { values[i] = sum<Sum>(row); });
  }

  CRIVO_TARGET static void contains_all(const void* of, std::span<const Hash128> hashes,
                                        bool* answers) noexcept {
    each_row<true>(
        *static_cast<const Rows*>(of),
        hashes, [=](std::size_t i, const Row& row) CRIVO_TARGET __attribute__((always_inline)) {
          answers[i] = is_fingerprint(sum<Sum>(row), hashes[i].hi, row.width);
        });
  }

  /// The same one by one: where blocks are of two widths, which is so in filters alone, nobody asks
  /// for many values, but what a file says cannot be trusted.
  CRIVO_TARGET static void values_each(const void* of, std::span<const Hash128> hashes,
                                       std::uint64_t* values) noexcept {
    for (std::size_t i = 0; i < hashes.size(); ++i)
      values[i] = value(of, hashes[i].hi, hashes[i].lo);
  }

  static constexpr Kernel kKernel{value, Sum::kNarrow ? values_each : values, contains,
                                  contains_all, row_values<Sum>};
  /// Of values that are too wide for fingerprints.
  static constexpr Kernel kWideKernel{value, values, nullptr, nullptr, row_values<Sum>};
};

/// The kernel of a way to sum for either form.
template <typename Sum>
Kernel kernel_of(Form form) noexcept {
  return form == Form::layers ? Lookups<Sum, Layers>::kKernel : Lookups<Sum, SmallSet>::kKernel;
}

}  // namespace
}  // namespace crivo::ribbon
