// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/directory.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "stream/text_slice.hpp"
#include "structures/dictionary/byte_masks.hpp"

namespace crivo::dictionary {
namespace {

constexpr std::size_t kNarrowHead = 4;
constexpr std::size_t kWideHead = 8;
constexpr std::size_t kSlice = sizeof(std::uint64_t);

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

/// How many of a node's texts are at or below the query, of which `skip` bytes are known.
template <typename Columns>
unsigned count_below(const Columns& node, const Query& query, std::size_t skip) noexcept {
  std::size_t matched = 0;  // behind what is skipped
  for (unsigned i = 0;; ++i) {
    const int byte = query.byte(skip + matched);
    i = node.next(i, matched, byte);
    if (i >= node.texts || node.shared(i) < matched || node.first(i) > byte) return i;
    const std::string_view rest = node.rest(i);
    const std::string_view left = query.text().substr(std::min(query.size(), skip + matched + 1));
    const std::size_t same = stream::shared_bytes(rest, left);
    matched += 1 + same;
    if (same == rest.size()) continue;
    if (static_cast<int>(static_cast<unsigned char>(rest[same])) > query.byte(skip + matched))
      return i;
  }
}

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
        stream::shared_bytes(tail, query.text().substr(std::min(query.size(), from)));
    return same != tail.size() &&
           static_cast<int>(static_cast<unsigned char>(tail[same])) > query.byte(from + same);
  }

  const std::byte* at_;
  unsigned texts_;
  base::ByteView tails_;
};

unsigned count_below(const Slices& node, const Query& query, std::size_t skip) noexcept {
  return node.count_below(query, skip);
}

/// What use(texts, skip) returns of the texts of a node, which are Slices or NodeColumns; nothing
/// if the node is malformed.
template <typename Use>
auto with_texts(base::ByteView node, const Use& use) noexcept
    -> std::optional<decltype(use(std::declval<Slices>(), std::size_t{}))> {
  if (node.size() < kNarrowHead) return std::nullopt;
  const auto texts = static_cast<unsigned>(node[2]);
  if (texts >= kFanout) return std::nullopt;
  const auto form = static_cast<NodeForm>(node[3]);
  if (form == NodeForm::slices) {
    if (node.size() < kNarrowHead + Slices::size(texts)) return std::nullopt;
    return use(Slices(node.subspan(kNarrowHead), texts),
               std::size_t{base::load_le<std::uint16_t>(node.data())});
  }
  if (form == NodeForm::narrow) {
    using Narrow = NodeColumns<std::uint8_t, std::uint16_t>;
    const std::size_t head = kNarrowHead + Narrow::size(texts);
    if (node.size() < head) return std::nullopt;
    return use(Narrow{node.data() + kNarrowHead, texts, node.size() - head},
               std::size_t{base::load_le<std::uint16_t>(node.data())});
  }
  using Wide = NodeColumns<std::uint32_t, std::uint32_t>;
  const std::size_t head = kWideHead + Wide::size(texts);
  if (node.size() < head) return std::nullopt;
  return use(Wide{node.data() + kWideHead, texts, node.size() - head},
             std::size_t{base::load_le<std::uint32_t>(node.data() + 4)});
}

unsigned count_below(base::ByteView node, const Query& query) noexcept {
  return with_texts(node, [&](const auto& texts,
                              std::size_t skip) { return count_below(texts, query, skip); })
      .value_or(0);
}

bool is_sound(base::ByteView node) noexcept {
  return with_texts(node, [](const auto& texts, std::size_t) { return texts.is_sound(); })
      .value_or(false);
}

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
    // What the node's first separator has is not kept: the first text stands whole.
    const std::size_t same = shared.empty() ? skip : stream::shared_bytes(before, text);
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

DirectoryShape::DirectoryShape(std::uint64_t blocks) noexcept {
  std::array<std::uint64_t, kMostLevels> nodes{};  // the lowest level first
  for (std::uint64_t on_level = blocks; on_level > 1; ++levels_) {
    on_level = base::div_ceil(on_level, std::uint64_t{kFanout});
    nodes[levels_] = on_level;
  }
  for (unsigned level = 0; level < levels_; ++level)
    begins_[level + 1] = begins_[level] + nodes[levels_ - 1 - level];
}

Directory::Directory(base::ByteView section, std::uint64_t blocks, std::uint64_t node_bytes)
    : shape_(blocks), blocks_(blocks), node_bytes_(node_bytes) {
  base::FieldReader fields(section, "the dictionary's directory");
  if (shape_.nodes() >= section.size() / sizeof(std::uint64_t)) fields.fail("is too short");
  offsets_ = fields.take((shape_.nodes() + 1) * sizeof(std::uint64_t));
  if (node_bytes > fields.remaining() || fields.remaining() - node_bytes != kPadding)
    fields.fail("has another size than its nodes");
  nodes_ = fields.take(fields.remaining());
}

bool Directory::is_sound() const noexcept {
  for (unsigned level = 0; level < levels(); ++level) {
    const std::uint64_t nodes = shape_.begin(level + 1) - shape_.begin(level);
    for (std::uint64_t child = 0; child != nodes; ++child) {
      const Span node = span(level, child);
      if (!dictionary::is_sound(nodes_.subspan(node.begin, node.end - node.begin))) return false;
    }
  }
  return true;
}

std::uint64_t Directory::step(unsigned level, std::uint64_t child,
                              const Query& query) const noexcept {
  const Span node = span(level, child);
  base::prefetch_lines(nodes_.data() + node.begin, node.end - node.begin, kPrefetched);
  const unsigned below = count_below(nodes_.subspan(node.begin, node.end - node.begin), query);
  const std::uint64_t on_level =
      level + 1 == levels() ? blocks_ : shape_.begin(level + 2) - shape_.begin(level + 1);
  return std::min(child * kFanout + below, on_level - 1);
}

void DirectoryBuilder::add(std::size_t level, std::string_view separator) {
  if (level == levels_.size()) levels_.emplace_back(scratch_);
  const std::uint64_t children = levels_[level].children;
  if (children % kFanout == 0) {
    if (children != 0) {
      close(levels_[level], stream::shared_bytes(levels_[level].left, separator));
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

}  // namespace crivo::dictionary
