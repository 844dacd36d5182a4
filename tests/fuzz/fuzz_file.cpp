// SPDX-License-Identifier: Apache-2.0
/// Bytes as a whole file of any kind, or as the two files of a store, once every checksum fits
/// (mended_file.hpp): refused, or everything that can be asked of it is answered, the same way one
/// key at a time and in a batch. What opens under a name opens in memory, and the other way round.
///
/// Byte 0: of a file (even) or a store (odd). Of a store the next four are the length of the index,
/// which comes first, then data.mdb.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "file/section_types.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "index/describe.hpp"
#include "index/filter_file.hpp"
#include "index/map_file.hpp"
#include "index/rank_index.hpp"
#include "records/content_hash.hpp"
#include "records/environment_section.hpp"
#include "records/file_hash.hpp"
#include "records/tree_scan.hpp"
#include "support/hashes.hpp"
#include "support/stores.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

constexpr std::size_t kKeys = 70;

const std::vector<Hash128>& hashes() {
  static const std::vector<Hash128> random = test::random_hashes(kKeys);
  return random;
}

/// Keys of the stores that the corpus begins with, others, and an empty and a long one.
const std::vector<std::string_view>& keys() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all{"", std::string(300, 'k')};
    while (all.size() < kKeys) {
      const std::string i = std::to_string(all.size());
      all.push_back("http://host" + std::to_string(all.size() % 7) + ".example/" + i);
    }
    return all;
  }();
  static const std::vector<std::string_view> views(texts.begin(), texts.end());
  return views;
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

void use_filter(const file::Container& container) {
  const filter::FilterFile filter(container);
  std::array<bool, kKeys> answers{};
  filter.membership->contains(hashes(), answers.data());
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (filter.membership->contains(hashes()[i]) != answers[i]) std::abort();
    if ((filter.membership->count(hashes()[i]) != 0) != answers[i]) std::abort();
  }
}

void use_structure(const file::Container& container) {
  switch (container.header().kind) {
    case file::Kind::map:
      return use_map(container);
    case file::Kind::filter:
      return use_filter(container);
    case file::Kind::mphf:
    case file::Kind::store:
      return use_ranks(container);
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

void ask(const Filter& filter) {
  std::array<bool, kKeys> answers{};
  filter.contains(keys(), answers);
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (filter.contains(keys()[i]) != answers[i]) std::abort();
  }
}

void ask_by_kind(const std::string& path, file::Kind kind) {
  switch (kind) {
    case file::Kind::mphf:
      return ask(Mphf::open(path));
    case file::Kind::map:
      return ask(Map::open(path));
    case file::Kind::filter:
      return ask(Filter::open(path));
    case file::Kind::manifest:
    case file::Kind::store:
    case file::Kind::part:
    case file::Kind::keys:
    case file::Kind::totals:
    case file::Kind::records:
      return;
  }
}

/// Whether what can be described is not the file but a directory, or the file with others.
bool is_of_several(file::Kind kind) {
  return kind == file::Kind::store || kind == file::Kind::records || kind == file::Kind::manifest;
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
      ask_by_kind(named.path(), container.header().kind);
      opened = true;
    });
    if (opened != sound) std::abort();
    (void)index::describe(container);
    if (!sound) std::abort();  // described, but not to be opened
    verify(named.path());
  });
}

// Stores ---------------------------------------------------------------------------------------

/// Makes the index describe the environment that is there, as far as LMDB's pages are sound.
void describe_environment(fuzz::FileParts& index, base::ByteView data) {
  for (fuzz::FileSection& section : index.sections) {
    if (section.type != file::kEnvironmentSection) continue;
    fuzz::expect_use_or_refusal([&] {
      static fuzz::InputFile file;
      auto described = records::EnvironmentSection::decode(section.bytes);
      file.fill(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
      const auto scan = records::scan_tree(file.descriptor(), described.page_size);
      if (!scan.identity) return;
      described.file_size = data.size();
      described.records = scan.identity->records;
      described.groups = scan.groups;
      described.max_group = scan.max_group;
      described.key_seed = index.header.seed;
      described.content_id = scan.identity->content_id;
      described.structure_hash = scan.structure_hash;
      described.file_hash = XXH3_64bits(data.data(), data.size());
      std::ranges::copy(described.content_id, index.header.ids.begin());
      section.bytes = described.encode();
    });
  }
}

void write_file(const std::filesystem::path& path, base::ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << base::as_text(bytes);
  if (!out.flush()) std::abort();
}

void use_store(std::span<const std::uint8_t> bytes) {
  static const test::TempDirectory directory;
  if (bytes.size() < 4) return;
  const std::size_t length =
      base::load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(bytes.data()));
  if (bytes.size() - 4 < length) return;
  const fuzz::Input data(bytes.subspan(4 + length));
  for (const auto& old : std::filesystem::directory_iterator(directory.path())) {
    std::filesystem::remove(old);
  }
  fuzz::FileParts index = fuzz::take_apart(fuzz::Input(bytes.subspan(4, length)).view());
  index.header.kind = static_cast<std::uint32_t>(file::Kind::store);
  describe_environment(index, data.view());
  write_file(directory.path() / "index.crv", fuzz::put_together(index));
  fuzz::expect_use_or_refusal([&] {
    const std::filesystem::path environment = test::data_file(directory.path());
    write_file(environment, data.view());
    const Store store = Store::open(directory.path());
    Store::Reader reader(store);
    std::array<Store::Status, kKeys> found{};
    reader.find(keys(), [&](std::size_t i, const Store::Answer& answer) {
      found[i] = answer.status;
      if (answer.status == Store::Status::found)
        (void)XXH3_64bits(answer.record.data(), answer.record.size());
    });
    for (std::size_t i = 0; i < kKeys; ++i) {
      if (reader.find(keys()[i]).status != found[i]) std::abort();
    }
    (void)inspect(directory.path());
    verify(directory.path());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    use_file(bytes);
  } else {
    use_store(bytes);
  }
  return 0;
}
