// SPDX-License-Identifier: Apache-2.0
#include "stream/sorted_texts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "crivo/error.hpp"
#include "stream/text_splitters.hpp"

namespace crivo::stream {
namespace {

constexpr unsigned kVarintBits = 7;
constexpr std::size_t kMore = std::size_t{1} << kVarintBits;  ///< another byte follows

/// A number before a text, most of which take one byte.
struct Length {
  std::size_t value;
  std::size_t bytes;  ///< that it takes
};

Length length_at(const std::byte* entry) noexcept {
  auto byte = static_cast<std::size_t>(*entry);
  if (byte < kMore) [[likely]] {
    return {byte, 1};
  }
  Length length{byte - kMore, 1};
  do {
    byte = static_cast<std::size_t>(entry[length.bytes]);
    length.value |= (byte & (kMore - 1)) << (kVarintBits * length.bytes);
    ++length.bytes;
  } while (byte >= kMore);
  return length;
}

/// The same of bytes that may be anything; of no bytes where it does not fit them.
Length checked_length(base::ByteView entries) noexcept {
  constexpr std::size_t kMostBytes = 5;
  std::size_t last = 0;
  while (last < entries.size() && static_cast<std::size_t>(entries[last]) >= kMore) ++last;
  if (last >= std::min(entries.size(), kMostBytes)) return {0, 0};
  const Length length = length_at(entries.data());
  return length.value <= entries.size() - length.bytes ? length : Length{0, 0};
}

}  // namespace

std::size_t SortedTexts::entry_size(std::size_t rest) noexcept {
  std::size_t bytes = 1;
  for (std::size_t left = rest; left >= kMore; left >>= kVarintBits) ++bytes;
  return bytes + rest;
}

void SortedTexts::write_entry(std::byte* to, std::string_view rest) noexcept {
  std::size_t left = rest.size();
  for (; left >= kMore; left >>= kVarintBits) *to++ = static_cast<std::byte>(left | kMore);
  *to++ = static_cast<std::byte>(left);
  rest.copy(reinterpret_cast<char*>(to), rest.size());
}

void SortedTexts::clear() noexcept {
  refs_.clear();
  rooms_.clear();
}

std::span<std::byte> SortedTexts::room(std::size_t bytes) {
  return rooms_.emplace_back(bytes);
}

void SortedTexts::add(base::ByteView entries) {
  while (!entries.empty()) {
    const Length length = checked_length(entries);
    if (length.bytes == 0) throw Error(ErrorKind::corrupt, "damaged: its texts are malformed");
    const std::string_view rest = base::as_text(entries.subspan(length.bytes, length.value));
    refs_.push_back({slice_at(rest, 0), entries.data()});
    entries = entries.subspan(length.bytes + length.value);
  }
}

std::string_view SortedTexts::rest_of(const Ref& ref) noexcept {
  const Length length = length_at(ref.entry);
  return {reinterpret_cast<const char*>(ref.entry) + length.bytes, length.value};
}

void SortedTexts::sort() {
  unsorted_.clear();
  if (refs_.size() > 1) unsorted_.push_back({0, refs_.size(), 0});
  while (!unsorted_.empty()) {
    const auto [begin, end, depth] = unsorted_.back();
    unsorted_.pop_back();
    const auto at = [&](std::size_t i) { return refs_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(begin), at(end), [](const Ref& a, const Ref& b) { return a.slice < b.slice; });
    for (std::size_t i = begin; i + 1 < end;) {
      const std::uint64_t slice = refs_[i].slice;
      std::size_t past = i + 1;
      while (past < end && refs_[past].slice == slice) ++past;
      if (past - i > 1 && !is_last(slice)) add_equal(i, past, depth + kSliceBytes);
      i = past;
    }
  }
}

/// Notes that texts are to be sorted by what follows their first `depth` bytes, which are the same.
void SortedTexts::add_equal(std::size_t begin, std::size_t end, std::size_t depth) {
  const std::string_view first = rest_of(refs_[begin]).substr(depth);
  std::size_t shared = first.size();
  for (std::size_t i = begin + 1; i < end && shared != 0; ++i)
    shared = std::min(shared, base::shared_bytes(first, rest_of(refs_[i]).substr(depth)));
  depth += shared;
  for (std::size_t i = begin; i < end; ++i) refs_[i].slice = slice_at(rest_of(refs_[i]), depth);
  unsorted_.push_back({begin, end, depth});
}

}  // namespace crivo::stream
