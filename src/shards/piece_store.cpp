// SPDX-License-Identifier: Apache-2.0
#include "shards/piece_store.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::index {
namespace {

/// A number with so many bits, all set.
constexpr std::uint64_t all_ones(unsigned bits) noexcept {
  return bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
}

/// Of the file of fewest pieces.
unsigned common_bits(const KeyDirectory& directory) noexcept {
  unsigned bits = directory.totals.piece_bits;
  for (const auto& file : directory.files) bits = std::min(bits, file->table().piece_bits);
  return bits;
}

}  // namespace

std::uint64_t largest_partition(const KeyDirectory& directory) {
  const unsigned bits = common_bits(directory);
  std::vector<std::uint64_t> keys(std::size_t{1} << bits);
  for (const auto& file : directory.files) {
    const KeyTable& table = file->table();
    for (std::uint64_t piece = 0; piece < table.counts.size(); ++piece)
      keys[piece >> (table.piece_bits - bits)] += table.counts[piece];
  }
  return std::ranges::max(keys);
}

std::uint64_t whole_value(const KeyDirectory& directory, std::size_t file, std::uint64_t value) {
  const bool numbers = directory.totals.values == KeyValues::numbers;
  return numbers ? directory.totals.files[file].first_number + value : value;
}

template <typename Element>
PieceStore<Element>::PieceStore(const KeyDirectory& directory, const HashRange& range)
    : directory_(directory),
      range_(range),
      bits_(common_bits(directory)),
      most_value_(directory.is_finished ? all_ones(directory.totals.value_bits) : UINT64_MAX),
      rooms_([] { return std::make_unique<Room>(); }) {
  totals_.value_bits = most_value_;
  totals_.partitions.resize(this->partitions());
  for (std::uint64_t partition = 0; partition < this->partitions(); ++partition) {
    for (std::size_t file = 0; file < directory.files.size(); ++file)
      totals_.partitions[partition] += count(file, partition);
    totals_.elements += totals_.partitions[partition];
  }
}

/// Whether all of it is.
template <typename Element>
bool PieceStore<Element>::is_in_range(std::uint64_t partition) const noexcept {
  const HashRange own = HashRange::of(bits_, {partition, partition + 1});
  return own.least >= range_.least && own.most <= range_.most;
}

template <typename Element>
std::uint64_t PieceStore<Element>::count(std::size_t file, std::uint64_t partition) const {
  const HashRange own = HashRange::of(bits_, {partition, partition + 1});
  std::uint64_t keys = 0;
  if (range_.empty() || own.least > range_.most || own.most < range_.least) return 0;
  if (!is_in_range(partition)) {
    for_each_in(file, partition, [&](const Element&) { ++keys; });
    return keys;
  }
  const KeyTable& table = directory_.files[file]->table();
  const unsigned finer = table.piece_bits - bits_;
  for (std::uint64_t piece = partition << finer; piece != (partition + 1) << finer; ++piece)
    keys += table.counts[piece];
  return keys;
}

template <typename Element>
Element PieceStore<Element>::element(Hash128 hash, std::size_t file, std::uint64_t value) noexcept {
  if constexpr (std::is_same_v<Element, Hash128>) {
    return hash;
  } else if constexpr (std::is_same_v<Element, stream::HashedValue>) {
    return {hash, value};
  } else {
    return {hash, file, value};
  }
}

template <typename Element>
template <typename Visit>
void PieceStore<Element>::for_each_in(std::size_t file, std::uint64_t partition,
                                      const Visit& visit) const {
  const KeyFile& keys = *directory_.files[file];
  const unsigned finer = keys.table().piece_bits - bits_;
  const bool all = is_in_range(partition);
  for (std::uint64_t piece = partition << finer; piece != (partition + 1) << finer; ++piece) {
    if (keys.table().counts[piece] == 0) continue;
    keys.for_each_key(piece, [&](Hash128 hash, std::uint64_t value) {
      if (!all && (hash.hi < range_.least || hash.hi > range_.most)) return;
      std::uint64_t whole = 0;
      if constexpr (stream::kHasValue<Element>) {
        whole = whole_value(directory_, file, value);
        if (whole > most_value_) [[unlikely]]
          directory_.fail_totals();
      }
      visit(element(hash, file, whole));
    });
  }
}

template <typename Element>
typename PieceStore<Element>::Runs PieceStore<Element>::read(std::uint64_t partition) const {
  auto room = rooms_.take();
  room->clear();
  room->reserve(totals_.partitions[partition]);
  std::vector<std::size_t> ends;
  for (std::size_t file = 0; totals_.partitions[partition] != 0 && file < directory_.files.size();
       ++file) {
    for_each_in(file, partition, [&](const Element& element) { room->push_back(element); });
    if (room->size() != (ends.empty() ? 0 : ends.back())) ends.push_back(room->size());
  }
  Runs runs;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    runs.all.push_back(std::span<const Element>(*room).subspan(begin, end - begin));
    begin = end;
  }
  runs.memory = std::shared_ptr<const void>(std::move(room));
  return runs;
}

template <typename Element>
void PieceStore<Element>::for_each_piece(std::uint64_t partition, const UsePiece& use) const {
  constexpr std::size_t kPieceElements = (std::size_t{1} << 20) / sizeof(Element);
  Room some;
  bool goes_on = true;
  const auto take = [&] {
    if (goes_on && !some.empty()) goes_on = use(some);
    some.clear();
  };
  for (std::size_t file = 0; goes_on && file < directory_.files.size(); ++file) {
    for_each_in(file, partition, [&](const Element& element) {
      if (!goes_on) return;
      some.push_back(element);
      if (some.size() == kPieceElements) take();
    });
  }
  take();
}

template class PieceStore<Hash128>;
template class PieceStore<stream::HashedValue>;
template class PieceStore<stream::PlacedValue>;

}  // namespace crivo::index
