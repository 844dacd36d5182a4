// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/directory.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "structures/dictionary/node.hpp"

namespace crivo::dictionary {
namespace {

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
    const std::size_t same = base::shared_bytes(rest, left);
    matched += 1 + same;
    if (same == rest.size()) continue;
    if (static_cast<int>(static_cast<unsigned char>(rest[same])) > query.byte(skip + matched))
      return i;
  }
}

unsigned count_below(const Slices& node, const Query& query, std::size_t skip) noexcept {
  return node.count_below(query, skip);
}

/// Returns what use(texts, skip) does, with the texts of a node, which are Slices or NodeColumns;
/// nothing if the node is malformed.
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

Directory::Directory(const base::CheckedBytes& section, std::uint64_t blocks,
                     std::uint64_t node_bytes)
    : pages_(section.checks), shape_(blocks), blocks_(blocks), node_bytes_(node_bytes) {
  base::FieldReader fields(section, "the dictionary's directory");
  if (shape_.nodes() >= section.bytes.size() / sizeof(std::uint64_t)) fields.fail("is too short");
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
  pages_.touch(nodes_.data() + node.begin, node.end - node.begin);
  const unsigned below = count_below(nodes_.subspan(node.begin, node.end - node.begin), query);
  const std::uint64_t on_level =
      level + 1 == levels() ? blocks_ : shape_.begin(level + 2) - shape_.begin(level + 1);
  return std::min(child * kFanout + below, on_level - 1);
}

}  // namespace crivo::dictionary
