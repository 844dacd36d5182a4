// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "lookup/store_impl.hpp"

namespace crivo::index {

namespace {

/// So many texts of keys are in memory at once.
constexpr std::size_t kTextsAtOnce = std::size_t{1} << 16;

/// The text of an added key, valid until the reader's next lookup; nothing where it is damaged.
std::optional<std::string_view> find_text(records::RecordReader& reader,
                                          std::uint64_t rank) noexcept {
  std::string_view key;
  if (reader.read_added(rank, key).outcome != records::Outcome::found) return std::nullopt;
  return key;
}
std::string_view text_of(records::RecordReader& reader, std::uint64_t rank) {
  const auto key = find_text(reader, rank);
  if (!key)
    throw Error(ErrorKind::corrupt, "the update of rank " + std::to_string(rank) + " is damaged");
  return *key;
}

}  // namespace

UpdatedOrder::UpdatedOrder(const records::RecordFile& records, const dictionary::Reader& keys)
    : records_(records), keys_(keys) {
  const records::RecordFile::Updates updates = records.updates();
  if (updates.added + updates.removed == 0) return;
  const auto reader = records.reader();
  records.visit_updates([&](std::uint64_t rank, bool is_removed) {
    if (rank < keys_.size()) {
      if (is_removed) removed_.push_back(rank);
    } else if (!is_removed) {
      added_.push_back({keys_.find(text_of(*reader, rank)).id, rank});
    }
  });
  std::ranges::sort(added_, {}, &Added::before);
  for (auto begin = added_.begin(); begin != added_.end();) {
    const auto end =
        std::ranges::upper_bound(begin, added_.end(), begin->before, {}, &Added::before);
    sort_by_text({begin, end});
    begin = end;
  }
}

void UpdatedOrder::sort_by_text(std::span<Added> alike) const {
  if (alike.size() < 2) return;
  const auto reader = records_.reader();
  std::vector<std::pair<std::string, Added>> some;
  for (std::size_t begin = 0; begin < alike.size(); begin += kTextsAtOnce) {
    const auto sorted = alike.subspan(begin, std::min(kTextsAtOnce, alike.size() - begin));
    some.clear();
    for (const Added& added : sorted) some.emplace_back(text_of(*reader, added.rank), added);
    std::ranges::sort(some, {}, &std::pair<std::string, Added>::first);
    std::ranges::transform(some, sorted.begin(), &std::pair<std::string, Added>::second);
  }
  const auto other = records_.reader();
  const auto is_before = [&](const Added& a, const Added& b) {
    return text_of(*reader, a.rank) < text_of(*other, b.rank);
  };
  for (std::size_t width = kTextsAtOnce; width < alike.size(); width *= 2) {
    for (std::size_t begin = 0; begin + width < alike.size(); begin += 2 * width) {
      const auto both = alike.subspan(begin, std::min(2 * width, alike.size() - begin));
      std::inplace_merge(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(width),
                         both.end(), is_before);
    }
  }
}

std::uint64_t UpdatedOrder::removed_below(std::uint64_t rank) const noexcept {
  return static_cast<std::uint64_t>(std::ranges::lower_bound(removed_, rank) - removed_.begin());
}

template <typename IsBelow>
std::optional<std::uint64_t> UpdatedOrder::position(std::uint64_t sealed,
                                                    records::RecordReader* texts,
                                                    const IsBelow& is_below) const noexcept {
  const auto alike = std::ranges::equal_range(added_, sealed, {}, &Added::before);
  bool is_damaged = false;
  const auto end = std::ranges::partition_point(alike, [&](const Added& one) {
    const auto key = find_text(*texts, one.rank);
    is_damaged = is_damaged || !key;
    return key && is_below(*key);
  });
  if (is_damaged) return std::nullopt;
  return sealed - removed_below(sealed) + static_cast<std::uint64_t>(end - added_.begin());
}

std::optional<std::uint64_t> UpdatedOrder::below(std::string_view text,
                                                 records::RecordReader* texts) const noexcept {
  return position(keys_.find(text).id, texts, [&](std::string_view key) { return key < text; });
}

std::optional<UpdatedOrder::Range> UpdatedOrder::prefix(
    std::string_view text, records::RecordReader* texts) const noexcept {
  const dictionary::Ids ids = keys_.prefix(text);
  const auto begin = position(ids.begin, texts, [&](std::string_view key) { return key < text; });
  const auto end = position(
      ids.end, texts, [&](std::string_view key) { return key.substr(0, text.size()) <= text; });
  if (!begin || !end) return std::nullopt;
  return Range{*begin, *end};
}

UpdatedOrder::Place UpdatedOrder::at(std::uint64_t position) const noexcept {
  Place place;
  const auto own = [&](const Added& added) {
    return added.before - removed_below(added.before) +
           static_cast<std::uint64_t>(&added - added_.data());
  };
  const auto next = std::ranges::lower_bound(added_, position, {}, own);
  place.added = static_cast<std::size_t>(next - added_.begin());
  // Before the key of the build with so many present ones below it.
  const std::uint64_t present = position - place.added;
  const auto behind =
      std::ranges::upper_bound(removed_, present, {}, [&](const std::uint64_t& rank) {
        return rank - static_cast<std::uint64_t>(&rank - removed_.data());
      });
  place.sealed = present + static_cast<std::uint64_t>(behind - removed_.begin());
  return place;
}

void UpdatedOrder::advance(Place& place) const noexcept {
  if (is_added(place)) {
    ++place.added;
    return;
  }
  ++place.sealed;
  auto removed = std::ranges::lower_bound(removed_, place.sealed);
  for (; removed != removed_.end() && *removed == place.sealed; ++removed) ++place.sealed;
}

}  // namespace crivo::index
