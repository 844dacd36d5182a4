// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/build/directory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "structures/bits/packed.hpp"
#include "structures/dictionary/layout.hpp"
#include "structures/dictionary/node.hpp"

namespace crivo::dictionary {
namespace {

using Texts = std::vector<std::string>;

/// Whether slices take few bytes more than what each text has behind the one before, and tell the
/// ends of texts: a slice goes on with zeros where its text has ended.
bool can_slice(const Texts& texts, std::size_t skip) {
  constexpr std::size_t kMostTail = 4;  // of a text, on the average
  std::size_t tails = 0;
  for (const std::string& text : texts) {
    const std::size_t in_slice = std::min(text.size() - skip, kSlice);
    if (text[skip + in_slice - 1] == '\0') return false;
    tails += text.size() - skip - in_slice;
  }
  return skip <= UINT16_MAX && tails <= kMostTail * texts.size();
}

base::Bytes sliced_node(const Texts& texts, std::size_t skip) {
  base::FieldWriter node;
  node.u16(static_cast<std::uint16_t>(skip)).u8(static_cast<std::uint8_t>(texts.size()));
  node.u8(static_cast<std::uint8_t>(NodeForm::slices));
  std::string ends;
  std::string tails;
  for (const std::string& text : texts) {
    const std::string_view known = std::string_view(text).substr(skip);
    node.u64(Query(known).slice(0));
    tails += known.substr(std::min(known.size(), kSlice));
    ends += static_cast<char>(tails.size());
  }
  node.bytes(base::as_bytes(ends));
  node.bytes(base::as_bytes(tails));
  return node.take();
}

/// A node whose first separator, of which it has no text, is `left`.
base::Bytes front_coded_node(const Texts& texts, std::string_view left, std::size_t skip) {
  constexpr std::size_t kMostNarrow = 0xff;
  constexpr std::size_t kMostRests = 0xffff;
  std::vector<std::size_t> shared;
  std::vector<std::size_t> ends;
  std::string firsts;
  std::string rests;
  bool wide = skip > kMostRests;
  std::string_view before = left;
  for (const std::string& text : texts) {
    // The bytes of the node's first separator are not kept: the first text stands whole.
    const std::size_t same = shared.empty() ? skip : base::shared_bytes(before, text);
    shared.push_back(same - skip);
    firsts += text[same];
    rests += std::string_view(text).substr(same + 1);
    ends.push_back(rests.size());
    wide = wide || shared.back() > kMostNarrow;
    before = text;
  }
  wide = wide || rests.size() > kMostRests;
  base::FieldWriter node;
  node.u16(wide ? 0 : static_cast<std::uint16_t>(skip));
  node.u8(static_cast<std::uint8_t>(shared.size()));
  node.u8(static_cast<std::uint8_t>(wide ? NodeForm::wide : NodeForm::narrow));
  if (wide) node.u32(static_cast<std::uint32_t>(skip));
  for (const std::size_t same : shared)
    wide ? node.u32(static_cast<std::uint32_t>(same)) : node.u8(static_cast<std::uint8_t>(same));
  node.bytes(base::as_bytes(firsts));
  for (const std::size_t end : ends)
    wide ? node.u32(static_cast<std::uint32_t>(end)) : node.u16(static_cast<std::uint16_t>(end));
  node.bytes(base::as_bytes(rests));
  return node.take();
}

}  // namespace

void DirectoryBuilder::add(std::size_t level, std::string_view separator) {
  if (level == levels_.size()) levels_.emplace_back(scratch_);
  const std::uint64_t children = levels_[level].children;
  if (children % kFanout == 0) {
    if (children != 0) {
      close(levels_[level], base::shared_bytes(levels_[level].left, separator));
      // The level above is needed once there is a second node, and is told of the first, too.
      if (level + 1 == levels_.size()) add(level + 1, std::string_view());
      add(level + 1, separator);
    }
    levels_[level].left = separator;
    levels_[level].texts.clear();
  } else {
    levels_[level].texts.emplace_back(separator);
  }
  ++levels_[level].children;
}

void DirectoryBuilder::close(Level& level, std::size_t skip) {
  const base::Bytes node = can_slice(level.texts, skip)
                               ? sliced_node(level.texts, skip)
                               : front_coded_node(level.texts, level.left, skip);
  level.nodes.append(node);
  level.sizes.append(base::FieldWriter().u64(node.size()).view());
}
std::uint64_t DirectoryBuilder::finish(base::Sink& to) {
  if (levels_.size() == 1 && levels_[0].children == 1) levels_.clear();
  std::uint64_t end = 0;
  base::FieldWriter first;
  to.append(first.u64(0).view());
  for (std::size_t level = levels_.size(); level-- > 0;) {
    close(levels_[level], 0);
    levels_[level].sizes.for_each([&](base::ByteView sizes) {
      base::FieldWriter ends;
      for (; !sizes.empty(); sizes = sizes.subspan(sizeof(std::uint64_t)))
        ends.u64(end += base::load_le<std::uint64_t>(sizes.data()));
      to.append(ends.view());
    });
  }
  for (std::size_t level = levels_.size(); level-- > 0;)
    levels_[level].nodes.for_each([&](base::ByteView nodes) { to.append(nodes); });
  to.append(base::Bytes(kPadding));
  return end;
}

void ValueWriter::add(std::uint64_t value) {
  open_.push_back(value);
  if (open_.size() == block_keys_) close();
}

void ValueWriter::close() {
  if (open_.empty()) return;
  const auto [low, high] = std::minmax_element(open_.begin(), open_.end());
  const std::uint64_t least = *low;
  auto width = static_cast<unsigned>(std::bit_width(*high - least));
  if (width > kMostPackedBits) width = kWholeWordBits;
  heads_.append(
      base::FieldWriter().u64(least).u64(packed_.size() << kValueWidthBits | width).view());
  base::FieldWriter words;
  if (width == kWholeWordBits) {
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
  to.append(base::Bytes(kValuePadding));
}

}  // namespace crivo::dictionary
