// SPDX-License-Identifier: Apache-2.0
/// Bytes as the section of a delta, as the links of a chain, or as what a delta adds to a filter,
/// by the first byte: refused, or the table of the delta's flips says of every key near one what
/// the lists say, the links are written again as they were, and a layer says the same of hashes
/// alone and together, also where it is there twice.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/filter_file.hpp"
#include "structures/exact/flip_table.hpp"
#include "structures/layers.hpp"

namespace {

using namespace crivo;

void ask_delta(base::ByteView section) {
  const exact::Delta delta = exact::decode_delta(section);
  if (!std::ranges::equal(exact::encode_delta(delta), section)) std::abort();
  // What a delta of another base says of groups is refused before memory is taken for them.
  constexpr std::uint64_t kMostGroups = 1000;
  if (delta.groups > kMostGroups) return;
  const exact::FlipTable table(std::span(&delta, 1), delta.groups);
  std::map<std::uint64_t, std::vector<exact::Flip>> flips;  // by the numbers of groups
  std::uint64_t groups = delta.groups;
  for (const exact::FlipList& list : delta.lists) {
    exact::FlipReader reader(list, groups);
    reader.for_each([&](std::size_t group, const exact::Flip& flip) {
      flips[reader.groups()[group].number].push_back(flip);
    });
    groups += list.added_groups();
  }
  if (groups != delta.groups_after()) std::abort();
  constexpr std::size_t kAsked = 40;
  for (const auto& [number, some] : flips) {
    for (std::size_t i = 0; i < std::min(some.size(), kAsked); ++i) {
      const unsigned free = 64 - some[i].cell_bits;
      const Hash128 hash{free == 64 ? 0 : some[i].cell << free, base::mix64(i)};
      const auto held =
          std::ranges::count_if(some, [&](const exact::Flip& flip) { return flip.is_of(hash); });
      if (table.is_flipped(table.place_of(number), hash) != (held % 2 == 1)) std::abort();
    }
  }
}

void read_links(base::ByteView section) {
  fuzz::FileParts parts;
  parts.header.kind = static_cast<std::uint32_t>(file::Kind::chain);
  parts.header.key_hash = 1;
  parts.header.ids.resize(32);
  parts.header.unused.resize(40);
  parts.sections.push_back(
      {.type = file::kLinkSection, .bytes = base::Bytes(section.begin(), section.end())});
  const base::Bytes bytes = fuzz::put_together(parts);
  const auto chain =
      exact::decode_chain(file::Container::open(bytes, "chain", file::Loading::mapped));
  const base::Bytes again = exact::encode_chain(chain);
  if (!std::ranges::equal(again, section)) std::abort();
}

/// The first bytes are the lists of a delta of a filter, one layer; the others are the layer.
void ask_layer(base::ByteView bytes) {
  constexpr std::size_t kListBytes = 96 + 48;
  constexpr std::size_t kLeastBytes = kListBytes + 16;
  if (bytes.size() < kLeastBytes) return;
  const base::ByteView lists = bytes.first(kListBytes);
  const base::ByteView layer = bytes.subspan(kListBytes);
  fuzz::FileParts parts;
  parts.header.kind = static_cast<std::uint32_t>(file::Kind::delta);
  parts.header.key_hash = 1;
  parts.header.keys = base::load_le<std::uint64_t>(layer.data() + 8);
  parts.header.ids.resize(32);
  parts.header.unused.resize(40);
  parts.sections.push_back({.type = file::kFlipSection, .bytes = {lists.begin(), lists.end()}});
  parts.sections.push_back({.type = file::kRibbonSection, .bytes = {layer.begin(), layer.end()}});
  const base::Bytes whole = fuzz::put_together(parts);
  const auto container = file::Container::open(whole, "delta", file::Loading::mapped);
  filter::AddedLayers added(container, exact::read_delta(container));
  std::array<Hash128, 40> hashes;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = {base::mix64(2 * i), base::mix64(2 * i + 1)};
  std::array<bool, hashes.size()> answers{};
  added.layers.front()->contains(hashes, answers.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (added.layers.front()->contains(hashes[i]) != answers[i]) std::abort();
  }
  // The filter of a layer that is there twice holds no other hash.
  filter::AddedLayers twice(container, exact::read_delta(container));
  std::vector<std::unique_ptr<const filter::Membership>> both;
  both.push_back(std::move(added.layers.front()));
  both.push_back(std::move(twice.layers.front()));
  const std::uint64_t size = both.front()->size();
  const auto joined = filter::join_layers(std::move(both));
  std::array<bool, hashes.size()> again{};
  joined->contains(hashes, again.data());
  const detail::FilterLookup lookup = joined->lookup();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (again[i] != answers[i] || lookup.contains(hashes[i]) != answers[i]) std::abort();
  }
  if (joined->size() != 2 * size || joined->parameters().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const crivo::fuzz::Input section(data + 1, size - 1);
  crivo::fuzz::expect_use_or_refusal([&] {
    switch (data[0] % 3) {
      case 0:
        return ask_delta(section.view());
      case 1:
        return read_links(section.view());
      default:
        return ask_layer(section.view());
    }
  });
  return 0;
}
