// SPDX-License-Identifier: Apache-2.0
/// The calls of a kernel, of what finds and sums up a row in one processor's way (`Blocks`). Each
/// file of kernels includes this last and compiles them for its own processor: CRIVO_TARGET is the
/// attribute that says which.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hashing/hash128.hpp"
#include "structures/ribbon/kernels.hpp"

namespace crivo::ribbon {
namespace {  // NOLINT: each file is to have its own

/// A key that the first layer does not hold. Apart from the others, which so need no stack.
template <typename Blocks>
[[gnu::noinline]] CRIVO_TARGET std::uint64_t bumped_value(const Layers& layers, std::uint64_t hi,
                                                          std::uint64_t lo) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>({hi, lo});
  return Blocks::value(row);
}

template <typename Blocks>
[[gnu::noinline]] CRIVO_TARGET bool bumped_contains(const Layers& layers,
                                                    std::uint64_t hi) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>(of_filter({hi, 0}));
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
CRIVO_TARGET std::uint64_t value(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_value<Blocks>(layers, hi, lo);
  return Blocks::value(row);
}

template <typename Blocks>
CRIVO_TARGET bool contains(const void* of, std::uint64_t hi, std::uint64_t) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_contains<Blocks>(layers, hi);
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
CRIVO_TARGET void contains_all(const Layers& layers, std::span<const Hash128> hashes,
                               bool* answers) noexcept {
  std::array<Row, kBatch> rows;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kBatch) {
    const auto some = hashes.subspan(begin, std::min(kBatch, hashes.size() - begin));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!Blocks::find(layers, some[i].hi, rows[i])) [[unlikely]]
        rows[i] = layers.find_bumped<Blocks::kLayout>(of_filter(some[i]));
      prefetch<Blocks::kLayout>(rows[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      *answers++ = is_fingerprint(Blocks::value(rows[i]), some[i].hi, rows[i].width);
    }
  }
}

template <typename Blocks>
CRIVO_TARGET void values(std::span<const Row> rows, std::uint64_t* values) noexcept {
  for (const Row& row : rows) *values++ = Blocks::value(row);
}

template <typename Blocks>
constexpr Kernel kKernel{value<Blocks>, contains<Blocks>, contains_all<Blocks>, values<Blocks>};

}  // namespace
}  // namespace crivo::ribbon
