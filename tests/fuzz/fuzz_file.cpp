// SPDX-License-Identifier: Apache-2.0
/// Bytes as a whole file of any kind, once every checksum fits (mended_file.hpp): refused, or
/// everything that can be asked of it is answered, the same way one key at a time and in a batch.
/// What opens under a name opens in memory, and the other way round.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "crivo/dictionary.hpp"
#include "crivo/exact.hpp"
#include "crivo/filter.hpp"
#include "crivo/filter_set.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/rows.hpp"
#include "fuzz/asked_keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/exact_file.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/filter_set_file.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/row_layers.hpp"
#include "support/hashes.hpp"

namespace {

using namespace crivo;

using fuzz::keys;
using fuzz::kKeys;

const std::vector<Hash128>& hashes() {
  static const std::vector<Hash128> random = test::random_hashes(kKeys);
  return random;
}

// Over bytes in guarded memory -----------------------------------------------------------------

void use_ranks(const file::Container& container) {
  const index::RankIndex index(container);
  std::array<std::uint64_t, kKeys> ranks{};
  index.lookup(hashes(), ranks.data());
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (index.lookup(hashes()[i]) != ranks[i]) std::abort();
    if (ranks[i] != index::RankIndex::kAbsent && ranks[i] >= container.header().keys) std::abort();
  }
}

void use_map(const file::Container& container) {
  const map::MapFile map(container);
  std::array<std::uint64_t, kKeys> values{};
  std::array<bool, kKeys> present{};
  map.lookup(hashes(), values.data(), present.data());
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::optional<std::uint64_t> value = map.lookup(hashes()[i]);
    if (value.has_value() != present[i] || value.value_or(0) != values[i]) std::abort();
  }
}

void use_rows(const file::Container& container) {
  const tables::RowLayers layers(container, {});
  const tables::RowLayer& layer = layers.layers().front();
  if (layer.keys.map() != nullptr) use_map(container);
  for (const Hash128& hash : hashes())
    layer.keys.visit(hash, [](std::uint64_t number) { return number != UINT64_MAX; });
  const tables::FileList& files = layer.files;
  if (files.rows() == 0) return;
  for (const Hash128& hash : hashes()) {
    const tables::RowPlace place = files.place(hash.hi % files.rows());
    if (place.file >= files.files() || place.row >= files.rows_of(place.file)) std::abort();
    if (files.name(place.file).empty() || place.group.has_value() != files.has_groups())
      std::abort();
    if (files.has_groups() && *place.group >= files.groups_of(place.file).size()) std::abort();
    if (layer.stamps) (void)layer.stamps->stamp(place.file);
  }
}

void use_filter(const file::Container& container) {
  const filter::FilterFile filter(container);
  std::array<bool, kKeys> answers{};
  filter.membership->contains(hashes(), answers.data());
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (filter.membership->contains(hashes()[i]) != answers[i]) std::abort();
    if ((filter.membership->count(hashes()[i]) != 0) != answers[i]) std::abort();
  }
}

/// The groups that may have the hashes, each way that there is to ask: the same in a set that is
/// sound.
void ask_groups(const filter_set::FilterSetFile& set, bool is_sound) {
  const std::uint64_t groups = set.groups();
  const std::span<const Hash128> asked = std::span(hashes()).first(11);  // a block, and a rest
  const std::size_t words = (groups + 63) / 64;
  std::vector<std::uint64_t> bitmaps(words * asked.size());
  std::vector<std::uint32_t> counts(groups);
  set.groups_of(asked, bitmaps.data(), words, nullptr);
  set.count(asked, counts.data(), nullptr);
  std::vector<std::uint64_t> numbers(groups);  // as of a layer of a chain
  for (std::uint64_t group = 0; group < groups; ++group)
    numbers[group] = group % 3 == 1 ? filter_set::kNoGroup : groups - 1 - group;
  std::vector<std::uint64_t> others(bitmaps.size());
  std::vector<std::uint32_t> other_counts(groups);
  set.groups_of(asked, others.data(), words, numbers.data());
  set.count(asked, other_counts.data(), numbers.data());
  for (std::uint64_t group = 0; group < std::min<std::uint64_t>(groups, 64); ++group) {
    std::array<bool, kKeys> answers{};
    set.contains(group, asked, answers.data());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool is_in = (bitmaps[words * i + group / 64] >> (group % 64) & 1) != 0;
      if (is_sound && is_in != answers[i]) std::abort();
      count += is_in;
    }
    if (is_sound && count != counts[group]) std::abort();
    const std::uint64_t number = numbers[group];
    if (is_sound && number != filter_set::kNoGroup && count != other_counts[number]) std::abort();
  }
  bool none = true;
  set.contains(groups, asked.first(1), &none);
  if (none) std::abort();
}

void use_filter_set(const file::Container& container) {
  const filter_set::FilterSetFile set(container);
  const std::uint64_t groups = set.groups();
  if (groups > std::uint64_t{1} << 16) return;
  bool is_sound = false;
  fuzz::expect_use_or_refusal([&] {  // said to whoever verifies
    set.check();
    is_sound = true;
  });
  ask_groups(set, is_sound);
  for (std::uint64_t group = 0; group < std::min<std::uint64_t>(groups, 64); ++group) {
    if (is_sound && set.find(set.name(group)) != group) std::abort();
    fuzz::expect_use_or_refusal([&] { (void)set.size_of(group); });
  }
  (void)set.find("no group");
}

void use_exact(const file::Container& container) {
  const exact::ExactFile exact(container);
  const exact::Groups& groups = exact.set->groups();
  for (std::uint64_t group = 0; group < std::min<std::uint64_t>(groups.size(), 8); ++group) {
    const exact::Class kind = groups.kind(group);
    if (groups.totals().grouped && groups.find(groups.hash(group)) != kind) std::abort();
    std::array<bool, kKeys> answers{};
    exact.set->contains(kind, hashes(), answers.data());
    for (std::size_t i = 0; i < kKeys; ++i) {
      if (exact.set->contains(kind, hashes()[i]) != answers[i]) std::abort();
    }
  }
}

void use_delta(const file::Container& container) {
  const exact::Delta delta = exact::open_delta(container);
  if (delta.of_filter) {
    const filter::AddedLayers added(container, delta);
    for (const auto& layer : added.layers) {
      for (const Hash128& hash : hashes()) (void)layer->contains(hash);
    }
    return;
  }
  constexpr std::uint64_t kMostGroups = 1 << 20;  // a chain has those of its base
  if (delta.groups > kMostGroups) return;
  const exact::FlipTable flips(std::span(&delta, 1), delta.groups);
  for (std::uint64_t group = 0; group < std::min<std::uint64_t>(delta.groups_after(), 8); ++group) {
    for (const Hash128& hash : hashes()) (void)flips.is_flipped(flips.place_of(group), hash);
  }
}

void use_structure(const file::Container& container) {
  switch (container.header().kind) {
    case file::Kind::map:
      return use_map(container);
    case file::Kind::filter:
      return use_filter(container);
    case file::Kind::rows:
      return use_rows(container);
    case file::Kind::filter_set:
      return use_filter_set(container);
    case file::Kind::dictionary:
      (void)dictionary::open_dictionary(container);
      (void)dictionary::open_hashed(container);
      return;
    case file::Kind::mphf:
    case file::Kind::store:
      return use_ranks(container);
    case file::Kind::exact:
      return use_exact(container);
    case file::Kind::delta:
      return use_delta(container);
    case file::Kind::chain:
      (void)exact::decode_chain(container);
      return;
    case file::Kind::part:
    case file::Kind::keys:
    case file::Kind::totals:
    case file::Kind::records:
    case file::Kind::manifest:
      return;
  }
}

// Under a name ---------------------------------------------------------------------------------

void ask(const Mphf& mphf) {
  std::array<std::uint64_t, kKeys> ranks{};
  mphf.lookup(keys(), ranks);
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (mphf.lookup(keys()[i]) != ranks[i]) std::abort();
  }
}

void ask(const Map& map) {
  std::array<std::uint64_t, kKeys> values{};
  std::array<bool, kKeys> present{};
  map.lookup(keys(), values, present);
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (map.lookup(keys()[i]).has_value() != present[i]) std::abort();
  }
}

void ask(const FilterSet& set) {
  if (set.groups() > std::uint64_t{1} << 16) return;
  std::vector<std::uint64_t> bitmap(set.bitmap_words());
  std::vector<std::uint32_t> counts(set.groups());
  for (const std::string_view key : std::span(keys()).first(4)) {
    const KeyHash hash = set.hash_function()(key);
    set.count({&hash, 1}, counts);
    set.groups_of(key, bitmap);
    for (std::uint64_t group = 0; group < set.groups(); group += 17)
      (void)set.contains(group, key);  // may differ where the places of a file do not agree
  }
}

void ask(const Rows& rows) {
  std::array<Rows::Answer, kKeys> answers{};
  rows.lookup(keys(), answers);
  for (std::size_t i = 0; i < kKeys; ++i) {
    const Rows::Answer answer = rows.lookup(keys()[i]);
    if (answer.status != answers[i].status || answer.row != answers[i].row) std::abort();
    rows.visit_rows(keys()[i], [&](const Rows::Row& row) {
      if (row.file_number >= rows.files()) std::abort();
    });
  }
  static fuzz::InputFile other;
  for (std::uint64_t file = 0; file < std::min<std::uint64_t>(rows.files(), 8); ++file) {
    if (rows.knows(file)) (void)rows.is_unchanged(file, other.path());
  }
}

void ask(const Filter& filter) {
  std::array<bool, kKeys> answers{};
  filter.contains(keys(), answers);
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (filter.contains(keys()[i]) != answers[i]) std::abort();
  }
}

void ask_hashed(const Dictionary& dictionary) {
  std::array<std::uint64_t, kKeys> ids{};
  dictionary.lookup_hashed(keys(), ids);
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (dictionary.lookup_hashed(keys()[i]) != ids[i]) std::abort();
    if (ids[i] != Dictionary::kAbsent && ids[i] >= dictionary.size()) std::abort();
  }
}

void ask(const Dictionary& dictionary) {
  if (dictionary.has_hashed()) ask_hashed(dictionary);
  constexpr int kMostSteps = 2000;
  const std::uint64_t n = dictionary.size();
  std::string buffer(dictionary.longest_key(), '\0');
  std::array<std::uint64_t, kKeys> ids{};
  dictionary.lookup(keys(), ids);
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::string_view key = keys()[i];
    if (dictionary.lookup(key) != ids[i]) std::abort();
    if (ids[i] != Dictionary::kAbsent && ids[i] >= n) std::abort();
    const Dictionary::Range range = dictionary.prefix(key);
    if (range.begin > range.end || range.end > n || dictionary.lower_bound(key) > n) std::abort();
    const Dictionary::Prefix prefix = dictionary.longest_prefix(key);
    if (prefix.id != Dictionary::kAbsent && (prefix.id >= n || prefix.size > key.size()))
      std::abort();
    if (const auto text = dictionary.key(range.begin, buffer)) {
      if (text->size() > buffer.size()) std::abort();
    }
  }
  std::array<std::uint64_t, kKeys> values{};
  std::array<bool, kKeys> present{};
  dictionary.value(ids, values, present);
  for (std::size_t i = 0; i < kKeys; ++i)
    if (present[i] && (ids[i] >= n || dictionary.value(ids[i]) != values[i])) std::abort();
  Dictionary::Cursor cursor(dictionary);
  int steps = 0;
  for (bool more = cursor.seek(keys()[2]); more && steps < kMostSteps; more = cursor.next()) {
    if (cursor.id() >= n || cursor.key().size() > buffer.size()) std::abort();
    ++steps;
  }
}

void ask(const Exact& exact) {
  std::array<ExactAnswer, kKeys> answers{};
  exact.contains(keys(), answers);
  const Exact::Group group = exact.group("group");
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (exact.contains(keys()[i]) != answers[i]) std::abort();
    if (exact.contains("group", keys()[i]) != group.contains(keys()[i])) std::abort();
  }
}

/// The file in one of the modes, and a copy of its bytes.
template <typename Structure>
void open_and_ask(const std::string& path, base::ByteView bytes) {
  constexpr OpenMode kModes[] = {OpenMode::mapped, OpenMode::preload, OpenMode::copy};
  ask(Structure::open(path, {kModes[bytes.size() / 64 % std::size(kModes)]}));
  ask(Structure::open(bytes, {OpenMode::copy}));
}

void ask_by_kind(const std::string& path, base::ByteView bytes, file::Kind kind) {
  switch (kind) {
    case file::Kind::mphf:
      return open_and_ask<Mphf>(path, bytes);
    case file::Kind::map:
      return open_and_ask<Map>(path, bytes);
    case file::Kind::filter:
      return open_and_ask<Filter>(path, bytes);
    case file::Kind::dictionary:
      return open_and_ask<Dictionary>(path, bytes);
    case file::Kind::exact:
      return open_and_ask<Exact>(path, bytes);
    case file::Kind::filter_set:
      return open_and_ask<FilterSet>(path, bytes);
    case file::Kind::rows:
      return open_and_ask<Rows>(path, bytes);
    case file::Kind::delta:
    case file::Kind::chain:
    case file::Kind::manifest:
    case file::Kind::store:
    case file::Kind::part:
    case file::Kind::keys:
    case file::Kind::totals:
    case file::Kind::records:
      return;
  }
}

/// Whether what can be described is not the file but a directory, or the file with others; or what
/// is asked only with others.
bool is_of_several(file::Kind kind) {
  return kind == file::Kind::store || kind == file::Kind::records || kind == file::Kind::manifest ||
         kind == file::Kind::chain || kind == file::Kind::delta;
}

void use_file(std::span<const std::uint8_t> bytes) {
  static fuzz::InputFile named;
  const fuzz::Input given(bytes);
  const fuzz::Input whole(fuzz::put_together(fuzz::take_apart(given.view())));
  fuzz::expect_use_or_refusal([&] {
    const auto container = file::Container::over(whole.view(), "input");
    container.verify(1, [](std::uint64_t) {});
    bool sound = false;
    fuzz::expect_use_or_refusal([&] {
      use_structure(container);
      sound = true;
    });
    if (is_of_several(container.header().kind)) return;
    named.fill(reinterpret_cast<const std::uint8_t*>(whole.view().data()), whole.view().size());
    bool opened = false;
    fuzz::expect_use_or_refusal([&] {
      ask_by_kind(named.path(), whole.view(), container.header().kind);
      opened = true;
    });
    if (opened != sound) std::abort();
    (void)index::describe(container);
    if (!sound) std::abort();  // described, but not to be opened
    verify(named.path());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  use_file({data, size});
  return 0;
}
