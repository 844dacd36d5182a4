// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/reader.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "crivo/error.hpp"

namespace crivo::dictionary {
namespace {

/// Texts or ids that are worked on side by side.
constexpr std::size_t kAtOnce = 16;

/// Returns a section that is read at once, all of it.
base::ByteView touched(const base::CheckedBytes& section) {
  return base::FieldReader(section, "the dictionary").take_touched(section.bytes.size());
}

}  // namespace

Reader::Reader(const Sections& sections)
    : pages_(sections.checks),
      head_(Head::decode(touched({sections.head, sections.checks}))),
      blocks_count_(head_.blocks()),
      tokens_(touched({sections.tokens, sections.checks}), head_.token_bits),
      directory_({sections.directory, sections.checks}, blocks_count_, head_.directory_bytes) {
  base::FieldReader offsets(sections.offsets, "the dictionary's offsets");
  // Each block takes bytes of the section, so that none of this overflows.
  if (blocks_count_ >= sections.offsets.size()) offsets.fail("are too few");
  groups_ = offsets.take((blocks_count_ / kGroup + 1) * sizeof(std::uint64_t));
  offsets_ = offsets.take((blocks_count_ + 1) * head_.offset_bytes);
  offsets.expect_end();
  base::FieldReader blocks(sections.blocks, "the dictionary's blocks");
  if (head_.block_bytes > blocks.remaining() || blocks.remaining() - head_.block_bytes != kPadding)
    blocks.fail("have another size than the head says");
  blocks_ = sections.blocks;
  if (sections.values)
    values_.emplace(base::CheckedBytes(*sections.values, sections.checks), head_.keys,
                    head_.block_keys);
}

std::uint64_t Reader::offset(std::uint64_t block) const noexcept {
  const auto base =
      base::load_le<std::uint64_t>(groups_.data() + block / kGroup * sizeof(std::uint64_t));
  const std::byte* const at = offsets_.data() + block * head_.offset_bytes;
  switch (head_.offset_bytes) {
    case 2:
      return base + base::load_le<std::uint16_t>(at);
    case 4:
      return base + base::load_le<std::uint32_t>(at);
    default:
      return base + base::load_le<std::uint64_t>(at);
  }
}

bool Reader::open_block(std::uint64_t number, Block& block) const noexcept {
  const std::byte* const group = groups_.data() + number / kGroup * sizeof(std::uint64_t);
  if (!pages_.touch(group, 2 * sizeof(std::uint64_t)) ||
      !pages_.touch(offsets_.data() + number * head_.offset_bytes, 2 * head_.offset_bytes))
    return false;
  const std::uint64_t begin = offset(number);
  const std::uint64_t end = offset(number + 1);
  if (begin > end || end > head_.block_bytes) return false;
  base::prefetch_lines(blocks_.data() + begin, end - begin, kPrefetched);
  if (!pages_.touch(blocks_.data() + begin, end - begin)) return false;
  const std::uint64_t keys =
      std::min<std::uint64_t>(head_.block_keys, head_.keys - number * head_.block_keys);
  return block.open(blocks_.subspan(begin, end - begin), static_cast<unsigned>(keys),
                    head_.token_bits);
}

template <typename Columns>
Reader::InBlock Reader::find_in(const Block& block, const Columns& columns,
                                const Query& query) const noexcept {
  const unsigned keys = block.keys();
  const TokenTable::View tokens(tokens_);
  std::size_t matched = 0;
  for (unsigned i = 0;; ++i) {
    // Keys that have `matched` in common and are below the query are passed by their next byte; all
    // before them that have more in common are, too.
    const int byte = query.byte(matched);
    const auto first = [&](unsigned key) {
      return tokens.first(tokens.get(block.tokens(), columns.begin(key)));
    };
    if (i != 0) {
      i = columns.next(i, keys, matched, [&](unsigned key) { return first(key) >= byte; });
      if (i == keys || columns.shared(i) < matched || first(i) > byte) return {i, false, matched};
    }
    std::size_t at = matched;
    int order = 0;  // of the key and the query, where their bytes differ
    const std::uint64_t end = columns.end(i);
    for (std::uint64_t t = columns.begin(i); t != end; ++t) {
      const std::uint32_t number = tokens.get(block.tokens(), t);
      const std::size_t size = tokens.size(number);
      const TokenTable::Text& text = tokens.text(number);
      const std::size_t same = query.matched(text, size, at);
      at += same;
      if (same != size) {
        order = static_cast<int>(static_cast<unsigned char>(text.bytes[same])) - query.byte(at);
        break;
      }
    }
    if (order > 0) return {i, false, matched};
    if (order == 0 && at == query.size() && !query.is_past_prefix()) return {i, true, matched};
    matched = at;
  }
}

Reader::InBlock Reader::find_in(const Block& block, const Query& query) const noexcept {
  return with_columns(block, block.keys(), InBlock(),
                      [&](const auto& columns) { return find_in(block, columns, query); });
}

Place Reader::find_in(std::uint64_t number, const Query& query) const noexcept {
  Block block;
  if (!open_block(number, block)) return {number * head_.block_keys, false};
  const InBlock in = find_in(block, query);
  return {number * head_.block_keys + in.index, in.found};
}

Place Reader::find(std::string_view text, Bound bound) const noexcept {
  if (head_.keys == 0) return {};
  const Query query(text, bound);
  return find_in(directory_.find(query), query);
}

Ids Reader::prefix(std::string_view text) const noexcept {
  const std::uint64_t begin = find(text).id;
  const std::uint64_t end = find(text, Bound::past_prefix).id;
  return {begin, std::max(begin, end)};  // a damaged file may say anything
}

// Both by force inline, as base::prefetch_lines() is.
[[gnu::always_inline]] inline void Reader::prefetch(std::uint64_t block) const noexcept {
  const std::uint64_t begin = offset(block);
  const std::uint64_t end = offset(block + 1);
  if (begin <= end && end <= head_.block_bytes)
    base::prefetch_lines(blocks_.data() + begin, end - begin, kPrefetched);
}

[[gnu::always_inline]] inline void Reader::prefetch_offset(std::uint64_t block) const noexcept {
  base::prefetch_lines(groups_.data() + block / kGroup * sizeof(std::uint64_t), 1);
  base::prefetch_lines(offsets_.data() + block * head_.offset_bytes, 1);
}

void Reader::find(std::span<const std::string_view> texts, std::span<Place> places) const noexcept {
  if (head_.keys == 0) {
    std::fill(places.begin(), places.end(), Place());
    return;
  }
  std::array<Query, kAtOnce> queries;
  std::array<std::uint64_t, kAtOnce> children;
  for (std::size_t begin = 0; begin < texts.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, texts.size() - begin);
    for (std::size_t i = 0; i < count; ++i) queries[i].set(texts[begin + i]);
    children.fill(0);
    for (unsigned level = 0; level < directory_.levels(); ++level) {
      for (std::size_t i = 0; i < count; ++i) directory_.prefetch(level, children[i]);
      for (std::size_t i = 0; i < count; ++i)
        children[i] = directory_.step(level, children[i], queries[i]);
    }
    for (std::size_t i = 0; i < count; ++i) prefetch_offset(children[i]);
    for (std::size_t i = 0; i < count; ++i) prefetch(children[i]);
    for (std::size_t i = 0; i < count; ++i) places[begin + i] = find_in(children[i], queries[i]);
  }
}

template <typename Columns>
std::optional<std::size_t> Reader::write_key(const Block& block, const Columns& columns,
                                             unsigned index, std::span<char> to) const noexcept {
  // The keys that have what is not left of the ones before, from the last one back.
  std::array<std::uint16_t, kMostBlockKeys> chain;
  std::size_t length = 0;
  chain[length++] = static_cast<std::uint16_t>(index);
  unsigned last = index;
  for (std::uint32_t need = columns.shared(index); need != 0; need = columns.shared(last)) {
    last = columns.last_below(last, need);
    chain[length++] = static_cast<std::uint16_t>(last);
  }
  const TokenTable::View tokens(tokens_);
  std::size_t size = 0;
  while (length-- > 0) {
    const unsigned i = chain[length];
    const std::size_t shared = columns.shared(i);
    if (shared > size) return std::nullopt;
    size = append_tokens(tokens, block.tokens(), columns.begin(i), columns.end(i), to, shared);
    if (size > to.size()) return std::nullopt;
  }
  return size;
}

std::optional<std::size_t> Reader::key(std::uint64_t id, std::span<char> to) const noexcept {
  if (id >= head_.keys) return std::nullopt;
  Block block;
  if (!open_block(id / head_.block_keys, block)) return std::nullopt;
  const auto index = static_cast<unsigned>(id % head_.block_keys);
  const std::span<char> room = to.first(std::min<std::size_t>(to.size(), head_.longest_key));
  return with_columns(block, index + 1, std::optional<std::size_t>(),
                      [&](const auto& columns) { return write_key(block, columns, index, room); });
}

std::size_t Reader::keys(std::span<const std::uint64_t> ids, std::span<char> to,
                         std::span<std::uint64_t> ends) const noexcept {
  const auto for_some = [&](std::size_t begin, const auto& use) {
    for (const std::uint64_t id : ids.subspan(begin, std::min(kAtOnce, ids.size() - begin)))
      if (id < head_.keys) use(id / head_.block_keys);
  };
  std::size_t size = 0;
  ends[0] = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i % kAtOnce == 0) {
      for_some(i, [&](std::uint64_t block) { prefetch_offset(block); });
      for_some(i, [&](std::uint64_t block) { prefetch(block); });
    }
    if (to.size() - size < head_.longest_key) return i;
    const std::optional<std::size_t> bytes = key(ids[i], to.subspan(size));
    if (!bytes) return i;
    size += *bytes;
    ends[i + 1] = size;
  }
  return ids.size();
}

std::optional<std::uint64_t> Reader::longest_prefix(std::string_view text,
                                                    std::size_t& size) const noexcept {
  if (head_.keys == 0) return std::nullopt;
  // The greatest key below the text, and any that the text begins with, have no more in common with
  // each other than that key has with the text: so it is sought in so much of the text next.
  while (true) {
    const Query query(text);
    std::uint64_t number = directory_.find(query);
    Block block;
    if (!open_block(number, block)) return std::nullopt;
    InBlock in = find_in(block, query);
    if (in.found) {
      size = text.size();
      return number * head_.block_keys + in.index;
    }
    if (in.index == 0) {
      if (number == 0 || !open_block(--number, block)) return std::nullopt;
      in = find_in(block, query);
      if (in.found || in.index == 0) return std::nullopt;  // malformed
    }
    if (in.matched >= text.size()) return std::nullopt;  // malformed
    text = text.substr(0, in.matched);
  }
}

Walk::Walk(const Reader& reader) : reader_(reader), key_(reader.head().longest_key + kPadding) {}

bool Walk::fail() noexcept {
  malformed_ = true;
  id_ = reader_.size();
  return false;
}

bool Walk::open(std::uint64_t block) noexcept {
  if (!reader_.open_block(block, block_)) return fail();
  if (block_.head().wide) {
    if (!wide_.fill(block_, block_.keys())) return fail();
  } else {
    if (!narrow_.fill(block_, block_.keys())) return fail();
  }
  index_ = 0;
  size_ = 0;
  return append();
}

/// The rest of the key of the block's number index_.
bool Walk::append() noexcept {
  return block_.head().wide ? append(wide_) : append(narrow_);
}
template <typename Columns>
bool Walk::append(const Columns& columns) noexcept {
  const std::size_t shared = columns.shared(index_);
  if (shared > size_) return fail();
  // Behind what a key may have there is room for tokens that are copied whole.
  const std::size_t size =
      append_tokens(TokenTable::View(reader_.tokens()), block_.tokens(), columns.begin(index_),
                    columns.end(index_), {key_.data(), key_.size()}, shared);
  if (size > key_.size() - kPadding) return fail();
  size_ = size;
  shared_ = shared;
  return true;
}

bool Walk::seek(std::uint64_t id) noexcept {
  begun_ = true;
  malformed_ = false;
  id_ = std::min(id, reader_.size());
  if (id >= reader_.size()) return false;
  const std::uint64_t block_keys = reader_.head().block_keys;
  if (!open(id / block_keys)) return false;
  for (const auto index = static_cast<unsigned>(id % block_keys); index_ != index;) {
    ++index_;
    if (!append()) return false;
  }
  return true;
}

bool Walk::next() noexcept {
  if (!begun_) return seek(0);
  if (id_ >= reader_.size()) return false;
  if (++id_ == reader_.size()) return false;
  if (index_ + 1 == block_.keys()) return open(id_ / reader_.head().block_keys);
  ++index_;
  return append();
}

bool Walk::go_to(std::uint64_t id) noexcept {
  if (begun_ && id < reader_.size()) {
    if (id == id_) return true;
    if (id == id_ + 1) return next();
  }
  return seek(id);
}

}  // namespace crivo::dictionary
