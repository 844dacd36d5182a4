// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/build/cell_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace crivo::filter {
namespace {

/// In every run of `bits` bits of a word (a power of two), the lowest is one.
constexpr std::uint64_t lowest_bits(unsigned bits) noexcept {
  return ~std::uint64_t{0} / (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
}

}  // namespace

CellArray::CellArray(std::uint64_t count, unsigned bits)
    : count_(count), bits_(bits), words_(base::div_ceil(count * bits, 64)) {}

CellArray::CellArray(const BloomHeader& header, base::ByteView section)
    : CellArray(header.cells(), header.cell_bits) {
  const std::byte* bytes = section.data() + BloomHeader::kBytes;
  for (std::uint64_t& word : words_) {
    word = base::load_le<std::uint64_t>(bytes);
    bytes += sizeof word;
  }
}

void CellArray::count_into(BloomHeader& header) const noexcept {
  if (64 % bits_ != 0) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t cell = value(i);
      header.occupied += cell != 0 ? 1 : 0;
      header.saturated += cell == limit() ? 1 : 0;
    }
    return;
  }
  const std::uint64_t lowest = lowest_bits(bits_);
  for (const std::uint64_t word : words_) {
    std::uint64_t any = word;
    std::uint64_t all = word;
    for (unsigned shift = bits_ / 2; shift != 0; shift /= 2) {
      any |= any >> shift;
      all &= all >> shift;
    }
    header.occupied += static_cast<unsigned>(std::popcount(any & lowest));
    header.saturated += static_cast<unsigned>(std::popcount(all & lowest));
  }
}

void CellArray::append_to(base::Sink& sink) const {
  base::Bytes buffer;
  constexpr std::size_t kWords = 8192;
  for (std::size_t begin = 0; begin < words_.size(); begin += kWords) {
    const std::size_t size = std::min(kWords, words_.size() - begin);
    buffer.resize(8 * size);
    for (std::size_t i = 0; i < size; ++i) base::store_le(buffer.data() + 8 * i, words_[begin + i]);
    sink.append(buffer);
  }
}

void write_section(BloomHeader header, const CellArray& cells, bool counts, base::Sink& sink) {
  header.occupied = 0;
  header.saturated = 0;
  cells.count_into(header);
  if (!counts) header.saturated = 0;
  sink.append(header.encode());
  cells.append_to(sink);
  sink.append(header.encode_counts());
}

}  // namespace crivo::filter
