// SPDX-License-Identifier: Apache-2.0
/// The first level of a function for many hashes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.hpp"
#include "crivo/detail/phast_level.hpp"

namespace crivo::phast {

/// The most hashes that one call takes.
inline constexpr std::size_t kPhastBatch = 1024;

/// How far ahead of its use a seed's cache line is asked for, in hashes.
inline constexpr std::size_t kPhastAhead = 32;

/// ranks[i] becomes the value on the level of the hash with the first half `halves[i]`, or anything
/// if the key is bumped; the numbers of the bumped ones go to `bumped`, which has room for as many
/// as there are hashes. Returns how many there are.
using PhastBatch = std::size_t (*)(const detail::PhastLevel& level,
                                   std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                                   std::uint16_t* bumped) noexcept;

/// The fastest one for this level and processor; all give the same.
PhastBatch phast_batch(const detail::PhastLevel& level, base::Cpu cpu) noexcept;

/// The one in plain C++.
std::size_t portable_phast_batch(const detail::PhastLevel& level,
                                 std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                                 std::uint16_t* bumped) noexcept;

/// The end of a batch, by the same: the first `done` hashes have their ranks, and `count` of them
/// are bumped. Returns how many are in all.
std::size_t finish_phast_batch(const detail::PhastLevel& level,
                               std::span<const std::uint64_t> halves, std::size_t done,
                               std::uint64_t* ranks, std::uint16_t* bumped,
                               std::size_t count) noexcept;

/// Whether the level's numbers are small enough: buckets and keys below 2^32.
bool avx2_phast_batch_takes(const detail::PhastLevel& level) noexcept;

/// For processors with base::Cpu::avx2, and levels that it takes. Only where the target is x86-64.
std::size_t avx2_phast_batch(const detail::PhastLevel& level, std::span<const std::uint64_t> halves,
                             std::uint64_t* ranks, std::uint16_t* bumped) noexcept;

/// For processors with base::Cpu::avx512, and levels that avx2_phast_batch_takes(). Only where the
/// target is x86-64.
std::size_t avx512_phast_batch(const detail::PhastLevel& level,
                               std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                               std::uint16_t* bumped) noexcept;

}  // namespace crivo::phast
