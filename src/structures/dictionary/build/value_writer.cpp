// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/build/value_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/arithmetic.hpp"
#include "base/prefetch.hpp"
#include "structures/bits/packed.hpp"

namespace crivo::dictionary {
namespace {

/// u64 the least, u8 the width, u56 where the block begins.
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kLoadedBehind = 8;
constexpr unsigned kWidthBits = 8;
constexpr unsigned kMostPacked = 56;  // bits; wider numbers are whole words
constexpr unsigned kWord = 64;

}  // namespace

void ValueWriter::add(std::uint64_t value) {
  open_.push_back(value);
  if (open_.size() == block_keys_) close();
}

void ValueWriter::close() {
  if (open_.empty()) return;
  const auto [low, high] = std::minmax_element(open_.begin(), open_.end());
  const std::uint64_t least = *low;
  auto width = static_cast<unsigned>(std::bit_width(*high - least));
  if (width > kMostPacked) width = kWord;
  heads_.append(base::FieldWriter().u64(least).u64(packed_.size() << kWidthBits | width).view());
  base::FieldWriter words;
  if (width == kWord) {
    for (const std::uint64_t value : open_) words.u64(value - least);
    packed_.append(words.view());
  } else {
    base::Bytes bytes(base::div_ceil(open_.size() * width, std::size_t{8}));
    bits::PackedWriter packed(bytes.data());
    for (const std::uint64_t value : open_) packed.put(value - least, width);
    packed.finish();
    packed_.append(bytes);
  }
  open_.clear();
}

void ValueWriter::finish(base::Sink& to) {
  close();
  for (const base::Spool* const all : {&heads_, &packed_})
    all->for_each([&](base::ByteView bytes) { to.append(bytes); });
  to.append(base::Bytes(kLoadedBehind));
}

}  // namespace crivo::dictionary
