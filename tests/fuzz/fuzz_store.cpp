// SPDX-License-Identifier: Apache-2.0
/// Bytes as the two files of a store, once every checksum fits (mended_file.hpp), and the index
/// describes the records that are there: refused, or any key gets the same answer one at a time and
/// in a batch; and none is damaged where the whole was verified.
///
/// Byte 0: what is not made to fit, and how the store is opened; then u32 length of the index, the
/// index, and the file of records, of LMDB or flat.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "file/section_types.hpp"
#include "fuzz/asked_keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "hashing/crc32c.hpp"
#include "records/backends/flat/slotted_units.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"
#include "records/codec.hpp"
#include "structures/dictionary/reader.hpp"
#include "support/stores.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;

enum Flag : std::uint8_t {
  kNothingFits = 1,   ///< the index says of the records what it says
  kHashDiffers = 2,   ///< that of an environment's bytes
  kChecksDiffer = 4,  ///< of a flat store's units
  kModes = 8,         ///< the place of the mode, and of ways beside it
};
constexpr OpenMode kOpenModes[] = {OpenMode::mapped, OpenMode::copy, OpenMode::preload,
                                   OpenMode::read, OpenMode::lock};
/// What the number behind the modes says.
enum Way : std::uint8_t {
  kIsLong = 1,  ///< both files are longer than what is read at once
  kIsCut = 2,   ///< so are they, and records are cut short, or overwritten, when they are open
};

/// More keys of an ordered store are not looked at.
constexpr std::size_t kMostMended = 1 << 16;

using fuzz::keys;
using fuzz::kKeys;

fuzz::FileSection* find(fuzz::FileParts& parts, std::uint32_t type) {
  const auto found = std::ranges::find(parts.sections, type, &fuzz::FileSection::type);
  return found == parts.sections.end() ? nullptr : &*found;
}

/// Makes the index describe the environment that is there, as far as LMDB's pages are sound.
void describe_environment(fuzz::FileParts& index, fuzz::FileSection& section, base::ByteView data,
                          std::uint8_t flags) {
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
    if ((flags & kHashDiffers) == 0) described.file_hash = XXH3_64bits(data.data(), data.size());
    std::ranges::copy(described.content_id, index.header.ids.begin());
    section.bytes = described.encode();
  });
}

/// The first halves of the hashes that the units of an ordered store are checked with; none of
/// another store.
std::vector<std::uint64_t> halves_of(fuzz::FileParts& index) {
  std::vector<std::uint64_t> halves;
  std::array<base::ByteView, 5> sections;
  for (std::uint32_t i = 0; i < sections.size(); ++i) {
    const fuzz::FileSection* const section = find(index, file::kDictionaryHeadSection + i);
    if (section == nullptr) return halves;
    sections[i] = section->bytes;
  }
  const fuzz::FileSection* const codec = find(index, file::kCodecSection);
  if (codec == nullptr || !records::CodecSection::decode(codec->bytes).type().by_record)
    return halves;
  const dictionary::Reader keys({sections[0], sections[1], sections[2], sections[3], sections[4]});
  dictionary::Walk walk(keys);
  for (bool more = walk.seek(0); more && halves.size() < kMostMended; more = walk.next())
    halves.push_back(hash_key(walk.key(), index.header.seed).hi);
  return halves;
}

/// Makes the check of each unit that a slot names fit its bytes.
void mend_checks(fuzz::FileParts& index, base::ByteView slots, base::Bytes& units) {
  fuzz::expect_use_or_refusal([&] {
    const std::uint64_t records = index.header.keys;
    const records::SlottedUnits all(records::Slots(base::ByteView(slots), records), units);
    const std::vector<std::uint64_t> halves = halves_of(index);
    for (std::uint64_t rank = 0; rank < records; ++rank) {
      const base::ByteView unit = all.unit_at(all.entry(rank));
      if (unit.size() < records::kUnitCheckSize) continue;
      const auto at = static_cast<std::size_t>(unit.data() - units.data());
      const std::uint64_t half = rank < halves.size() ? halves[rank] : 0;
      base::store_le(units.data() + at,
                     hashing::crc32c()(unit.subspan(records::kUnitCheckSize), rank + half));
    }
  });
}

/// Nobody knows the section, which makes a file long.
fuzz::FileSection padding() {
  constexpr std::size_t kBytes = 66'000;
  fuzz::FileSection section{.type = file::kFirstSkippable + 100};
  section.bytes.resize(kBytes);
  return section;
}

/// The flat file of `data`, of the build that the index is of.
base::Bytes flat_file(fuzz::FileParts& index, const fuzz::FileSection& slots, base::ByteView data,
                      std::uint8_t flags, bool is_long) {
  fuzz::FileParts parts = fuzz::take_apart(data);
  if (is_long) parts.sections.insert(parts.sections.begin(), padding());
  if ((flags & kNothingFits) == 0) {
    parts.header.kind = static_cast<std::uint32_t>(file::Kind::records);
    parts.header.keys = index.header.keys;
    parts.header.seed = index.header.seed;
    parts.header.ids = index.header.ids;
  }
  fuzz::FileSection* const units = find(parts, file::kUnitSection);
  if (units != nullptr && (flags & kChecksDiffer) == 0)
    mend_checks(index, slots.bytes, units->bytes);
  return fuzz::put_together(parts);
}

void write_file(const std::filesystem::path& path, base::ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << base::as_text(bytes);
  if (!out.flush()) std::abort();
}

/// Ranks stay below n, and ranges in order.
void walk(const Store& store) {
  Store::Cursor cursor(store);
  for (const std::string_view key : keys()) {
    const Store::Range range = store.prefix(key);
    if (range.begin > range.end || range.end > store.size()) std::abort();
    std::size_t left = 100;
    for (bool more = cursor.seek(range.begin); more && left-- != 0; more = cursor.next()) {
      if (cursor.rank() >= store.size()) std::abort();
      (void)XXH3_64bits(cursor.record().data(), cursor.record().size());
    }
  }
}

using Statuses = std::array<Store::Status, kKeys>;

/// Makes what LMDB asserts not to see of each leaf: a branch to one page.
void overwrite_leaves(const std::filesystem::path& environment) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kFlagsAt = 10;
  constexpr std::string_view kLeaf("\2\0", 2);
  constexpr std::string_view kBranchOfOne("\1\0\22\0", 4);  // flags, and where nodes end
  std::fstream file(environment, std::ios::binary | std::ios::in | std::ios::out);
  const std::uint64_t size = std::filesystem::file_size(environment);
  for (std::uint64_t page = 2 * kPage; page < size; page += kPage) {
    std::string flags(2, '\0');
    file.seekg(static_cast<std::streamoff>(page + kFlagsAt)).read(flags.data(), 2);
    if (flags != kLeaf) continue;
    file.seekp(static_cast<std::streamoff>(page + kFlagsAt)) << kBranchOfOne;
  }
}

/// Has the file of records cut short when it is open, or an environment overwritten: what was found
/// is found, or damaged.
void change_records(const std::filesystem::path& directory, OpenMode mode, bool is_flat,
                    const Statuses& found) {
  constexpr std::uint64_t kPage = 4096;
  const Store store = Store::open(directory, {mode});
  const std::filesystem::path records = test::data_file(directory);
  if (is_flat) {
    const std::uint64_t size = std::filesystem::file_size(records);
    std::filesystem::resize_file(records, size / kPage / 2 * kPage);
  } else {
    overwrite_leaves(records);
  }
  Store::Reader reader(store);
  const auto expect = [&](std::size_t i, const Store::Answer& answer) {
    if (answer.status != found[i] && answer.status != Store::Status::damaged) std::abort();
  };
  reader.find(keys(), expect);
  for (std::size_t i = 0; i < kKeys; ++i) expect(i, reader.find(keys()[i]));
}

Statuses use(const std::filesystem::path& directory, OpenMode mode) {
  Store store = Store::open(directory, {mode});
  Statuses found{};
  {
    Store::Reader reader(store);
    reader.find(keys(), [&](std::size_t i, const Store::Answer& answer) {
      found[i] = answer.status;
      if (answer.status == Store::Status::found)
        (void)XXH3_64bits(answer.record.data(), answer.record.size());
    });
    for (std::size_t i = kKeys; i-- != 0;) {
      if (reader.find(keys()[i]).status != found[i]) std::abort();
    }
  }
  store.find_all(
      keys(),
      [&](std::size_t i, const Store::Answer& answer) {
        if (answer.status != found[i]) std::abort();
      },
      1);
  if (store.is_ordered()) walk(store);
  if (store.refresh()) std::abort();
  (void)inspect(directory);
  store.verify();
  if (std::ranges::count(found, Store::Status::damaged) != 0) std::abort();
  std::uint64_t records = 0;
  store.for_each([&](std::string_view, std::string_view) { ++records; });
  if (records != store.size()) std::abort();
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool is_guarded = [] {
    guard_reads();
    return true;
  }();
  static const test::TempDirectory directory;
  constexpr std::size_t kHead = 1 + 4;
  if (!is_guarded || size < kHead) return 0;
  const std::uint8_t flags = data[0];
  const std::size_t length =
      base::load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(data) + 1);
  if (size - kHead < length) return 0;
  for (const auto& old : std::filesystem::directory_iterator(directory.path()))
    std::filesystem::remove(old);
  fuzz::FileParts index = fuzz::take_apart(fuzz::Input(data + kHead, length).view());
  index.header.kind = static_cast<std::uint32_t>(file::Kind::store);
  const fuzz::Input given(data + kHead + length, size - kHead - length);
  base::Bytes records(given.view().begin(), given.view().end());
  const auto ways = static_cast<std::uint8_t>(flags / kModes / std::size(kOpenModes));
  const bool is_flat = find(index, file::kSlotSection) != nullptr;
  if (const fuzz::FileSection* const slots = find(index, file::kSlotSection); slots != nullptr)
    records = flat_file(index, *slots, given.view(), flags, ways != 0);
  fuzz::FileSection* const environment = find(index, file::kEnvironmentSection);
  if (environment != nullptr && (flags & kNothingFits) == 0)
    describe_environment(index, *environment, records, flags);
  if (ways != 0) index.sections.push_back(padding());
  write_file(directory.path() / "index.crv", fuzz::put_together(index));
  fuzz::expect_use_or_refusal([&] {
    write_file(test::data_file(directory.path()), records);
    const OpenMode mode = kOpenModes[flags / kModes % std::size(kOpenModes)];
    const Statuses found = use(directory.path(), mode);
    if ((ways & kIsCut) != 0) change_records(directory.path(), mode, is_flat, found);
  });
  return 0;
}
