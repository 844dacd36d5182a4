// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "stream/key_stream.hpp"

namespace crivo::stream {
namespace {

/// At most `bits`, so that of `all_bytes`, of which `written_bytes` at a time are written, the
/// usual extent is kExtentBytes. But partitions must be so small that several fit memory at once,
/// sorted and not.
unsigned bits_of_extents(double all_bytes, double written_bytes, std::uint64_t memory_bytes,
                         unsigned bits) noexcept {
  constexpr std::uint64_t kExtentBytes = std::uint64_t{48} << 10;
  constexpr std::uint64_t kPartitionsInMemory = 10;
  const auto few_enough = [&](unsigned fewer) {
    return written_bytes / static_cast<double>(std::uint64_t{1} << fewer) >= kExtentBytes;
  };
  const auto small_enough = [&](unsigned fewer) {
    return all_bytes / static_cast<double>(std::uint64_t{1} << fewer) * kPartitionsInMemory <=
           static_cast<double>(memory_bytes);
  };
  while (bits > 0 && !few_enough(bits) && small_enough(bits - 1)) --bits;
  return bits;
}

}  // namespace

unsigned partition_bits_for(std::uint64_t n) noexcept {
  constexpr unsigned kMostBits = 13;
  constexpr unsigned kUsualBits = 11;
  constexpr std::uint64_t kPartitionKeys = std::uint64_t{1} << 14;
  if (n == UINT64_MAX) return kUsualBits;
  return std::min(kMostBits, static_cast<unsigned>(std::bit_width(n / kPartitionKeys)));
}

/// A full memory spills when so much of it is full of whole blocks.
unsigned partition_bits_for(std::uint64_t n, std::size_t hashed_bytes, unsigned threads,
                            std::uint64_t memory_bytes) noexcept {
  unsigned bits = partition_bits_for(n);
  const double all_bytes = static_cast<double>(n) * static_cast<double>(hashed_bytes);
  const double spilled = static_cast<double>(memory_bytes) * kSpillAt / kSpillOf;
  if (all_bytes > spilled) bits = bits_of_extents(all_bytes, spilled, memory_bytes, bits);
  while (bits > 0 && least_stream_bytes(threads, bits) > memory_bytes) --bits;
  return bits;
}

unsigned logged_bits_for(std::uint64_t n, std::size_t hashed_bytes, double share,
                         std::uint64_t memory_bytes, unsigned bits) noexcept {
  const double all_bytes = static_cast<double>(n) * static_cast<double>(hashed_bytes);
  return bits_of_extents(all_bytes, all_bytes * share, memory_bytes, bits);
}

}  // namespace crivo::stream
