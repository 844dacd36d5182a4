// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "base/parallel.hpp"
#include "file/section_types.hpp"
#include "hashing/hash_family.hpp"
#include "hashing/key_hash.hpp"
#include "records/backends/flat/flat.hpp"
#include "records/backends/flat/slotted_units.hpp"
#include "records/codec.hpp"
#include "records/content_hash.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

/// So many ranks are checked at once on a thread: of whole lines.
constexpr std::uint64_t kRanksChecked = 512 * kSlotsALine;

/// A stored unit is at most so much longer than its raw bytes, and no shorter than a reference.
constexpr std::uint64_t kMostBesideRaw = kUnitCheckSize + base::varint_size(UINT32_MAX) + 7;
static_assert(kMostBesideRaw >= kReferenceBytes);

/// The cost of verify(), measured: of a byte that is checked, and of a record, in ns of one thread.
constexpr double kFlatByteCost = 0.15;
constexpr double kFlatRecordCost = 100;

/// The keys beside the ranks of an ordered store, which ascend; of another store none.
class KeyWalk {
 public:
  explicit KeyWalk(const KeysInOrder& keys) {
    if (keys != nullptr) walk_.emplace(*keys);
  }

  bool is_there() const noexcept { return walk_.has_value(); }
  /// Goes to the key of a rank; false where the dictionary is damaged.
  bool go_to(std::uint64_t rank) noexcept { return walk_->go_to(rank); }
  std::string_view key() const noexcept { return walk_->key(); }

 private:
  std::optional<dictionary::Walk> walk_;
};

class FlatFile final : public RecordFile {
 public:
  FlatFile(file::Container data, const file::Container& index, KeysInOrder keys)
      : data_(std::move(data)),
        guarded_(data_.file_bytes()),
        units_(file::naming(index.name(),
                            [&] {
                              return Slots(
                                  index.touched(index.require(file::kSlotSection, "slots")),
                                  index.header().keys);
                            }),
               data_.require(file::kUnitSection, "section of units"), data_.paged()),
        codec_(codec_of(index)),
        keys_(std::move(keys)),
        hash_(hashing::hash_family(index.header().key_hash), index.header().seed) {
    const file::Header& header = data_.header();
    if (header.kind != file::Kind::records) data_.fail("is no file of records");
    if (header.content_id != index.header().content_id) {
      data_.fail("the index and the records are of different builds");
    }
    if (header.keys != units_.records()) {
      data_.fail("damaged: it and the index disagree on the number of records");
    }
  }

  const ContentId& content_id() const noexcept override { return data_.header().content_id; }
  std::uint64_t records() const noexcept override { return units_.records(); }
  std::uint64_t key_seed() const noexcept override { return data_.header().seed; }
  std::uint64_t file_bytes() const noexcept override { return data_.bytes(); }
  const StoredCodec& codec() const noexcept override { return codec_; }
  const file::Container* container() const noexcept override { return &data_; }
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept override {
    return keys_ != nullptr || units_.may_hold(rank, half);
  }

  std::unique_ptr<RecordReader> reader() const override;

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return {{"checksums of the records",
             1 + kFlatByteCost * static_cast<double>(file_bytes()) / threads},
            {"records", 1 + kFlatRecordCost * static_cast<double>(records()) / threads}};
  }
  void verify(const base::BuildContext& context, const Visit& visit) const override;
  std::uint64_t visit_some(std::uint64_t begin, const Visit& visit) const override {
    const std::uint64_t end = std::min(begin + kRanksChecked, records());
    check_ranks(begin, end, visit);
    return end;
  }

  const SlottedUnits& units() const noexcept { return units_; }
  /// The first half of a key's hash.
  std::uint64_t half_of(std::string_view key) const noexcept { return hash_(key).hi; }
  UnitReader unit_reader() const { return UnitReader(codec_); }
  /// For a unit of a file that is paged: one that is not shorter encoded is stored raw.
  base::Bytes room() const {
    if (!data_.paged().has_file()) return {};
    return base::Bytes(std::min(codec_.head().longest_raw, data_.bytes()) + kMostBesideRaw);
  }

 private:
  [[noreturn]] void fail_at(std::uint64_t rank, const SlotEntry& entry, const char* what) const;
  /// The room in which a thread reads units and checks them.
  struct Check {
    UnitReader unit;
    KeyWalk keys;
    base::Bytes room;
  };
  void check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;
  void check_unit(Check& with, const SlotEntry& entry, std::uint64_t& rank,
                  const Visit& visit) const;

  file::Container data_;
  base::GuardedBytes guarded_;  ///< units have checks
  SlottedUnits units_;
  StoredCodec codec_;
  KeysInOrder keys_;  ///< of an ordered store
  hashing::SeededHash hash_;
};

/// With kOrdered, of an ordered store: a rank is that of a key that the dictionary has, so that a
/// slot or unit of another key is damaged, where it is absent otherwise.
template <bool kOrdered>
class FlatReader final : public RecordReader {
 public:
  explicit FlatReader(const FlatFile& file)
      : file_(file),
        units_(file.units()),
        by_record_(file.codec().type().by_record),
        reader_(file.unit_reader(), file.room()) {}

  Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept override {
    return is_asked(rank, half) ? read_entry(rank, asked_entry(rank), key) : Lookup{};
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    return read_entry(rank, units_.entry(rank), key);
  }
  std::optional<std::string_view> built_key(std::uint64_t rank) noexcept override {
    if constexpr (kOrdered) return std::nullopt;
    return reader_.key_of(units_, rank, units_.entry(rank));
  }

  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
            std::span<const std::string_view> keys, const Visit& visit) override {
    // The entries that were asked for and not yet read, in a ring.
    std::array<SlotEntry, 2 * kEntriesAhead> asked;
    std::array<bool, 2 * kEntriesAhead> matches{};
    for_each_ahead(
        ranks.size(),
        [&](std::size_t i) {
          if (ranks[i] != kNoRank) units_.prefetch_slot(ranks[i]);
        },
        [&](std::size_t i) {
          const std::size_t at = i % asked.size();
          matches[at] = ranks[i] != kNoRank && is_asked(ranks[i], halves[i]);
          if (!matches[at]) return std::uint64_t{0};
          asked[at] = asked_entry(ranks[i]);
          return units_.prefetch(asked[at]);
        },
        [&](std::size_t i) {
          const std::size_t at = i % asked.size();
          visit(i, matches[at] ? read_entry(ranks[i], asked[at], keys[i]) : Lookup{});
        });
  }

 private:
  /// Whether the unit has to be looked at.
  bool is_asked(std::uint64_t rank, std::uint64_t half) const noexcept {
    return kOrdered || units_.may_hold(rank, half);
  }
  /// Its entry, if so.
  SlotEntry asked_entry(std::uint64_t rank) const noexcept {
    return kOrdered ? units_.entry(rank) : units_.touched_entry(rank);
  }

  Lookup read_entry(std::uint64_t rank, const SlotEntry& entry, std::string_view key) noexcept {
    if constexpr (kOrdered) {
      const std::uint64_t half = file_.half_of(key);
      if (!units_.touched_may_hold(rank, half)) return {Outcome::damaged, {}};
      // By record, the rank is nothing but what the check is with.
      return reader_.read(units_, by_record_ ? rank + half : rank, entry, {});
    } else {
      return reader_.read(units_, rank, entry, key);
    }
  }

  const FlatFile& file_;
  const SlottedUnits& units_;
  bool by_record_;
  SlottedReader reader_;
};

std::unique_ptr<RecordReader> FlatFile::reader() const {
  if (keys_ != nullptr) return std::make_unique<FlatReader<true>>(*this);
  return std::make_unique<FlatReader<false>>(*this);
}

void FlatFile::fail_at(std::uint64_t rank, const SlotEntry& entry, const char* what) const {
  data_.fail("damaged: the " + std::string(what) + " of rank " + std::to_string(rank) + ", byte " +
             std::to_string(entry.begin) + " of the section of units");
}

/// The unit of `entry`, which begins with `rank`: that goes on to the rank after it.
void FlatFile::check_unit(Check& with, const SlotEntry& entry, std::uint64_t& rank,
                          const Visit& visit) const {
  UnitReader& unit = with.unit;
  KeyWalk& keys = with.keys;
  const auto go_to_key = [&] {
    if (!keys.go_to(rank))
      data_.fail("damaged: the dictionary has no key of rank " + std::to_string(rank));
  };
  std::uint64_t check = rank;
  if (keys.is_there() && unit.by_record()) {
    go_to_key();
    check += half_of(keys.key());
  }
  if (!unit.open(units_.unit_at(entry, with.room), check)) fail_at(rank, entry, "unit");
  const std::uint64_t first = rank;
  if (unit.records() == 0 || unit.records() > records() - first) fail_at(first, entry, "unit");
  for (std::uint32_t i = 0; i < unit.records(); ++i, ++rank) {
    if (i != 0 && units_.entry(rank).size != 0) fail_at(rank, entry, "slot");
    std::string_view key;
    std::string_view record;
    if (!unit.take(key, record)) fail_at(first, entry, "unit");
    if (keys.is_there()) {
      go_to_key();
      if (!key.empty()) fail_at(first, entry, "unit");
      key = keys.key();
      if (!units_.may_hold(rank, half_of(key))) fail_at(rank, entry, "slot");
    }
    if (visit) visit(rank, key, record);
  }
  if (!unit.is_finished() || (rank < records() && units_.entry(rank).size == 0))
    fail_at(first, entry, "unit");
}

/// The ranks whose units begin in [begin, end), which are of whole lines.
void FlatFile::check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
  Check with{unit_reader(), KeyWalk(keys_), room()};
  std::uint64_t rank = begin;
  while (rank < end && units_.entry(rank).size == 0) {
    if (rank == 0) fail_at(rank, {}, "slot");
    ++rank;  // of a unit of the ranks before
  }
  while (rank < end) check_unit(with, units_.entry(rank), rank, visit);
}

void FlatFile::verify(const base::BuildContext& context, const Visit& visit) const {
  std::optional<file::Container> copy;
  if (data_.paged().has_file()) copy = data_.copied();
  const file::Container& data = copy ? *copy : data_;
  context.progress.begin("checksums of the records", data_.bytes(), Progress::Unit::bytes);
  data.verify(context.threads, [&](std::uint64_t bytes) { context.progress.add(bytes); });
  context.progress.begin("records", records());
  base::parallel_ranges(context.threads, records(), kRanksChecked,
                        [&](std::uint64_t begin, std::uint64_t end) {
                          check_ranks(begin, end, visit);
                          context.progress.add(end - begin);
                        });
  ContentHash content;
  content.add_group(data.require(file::kUnitSection, "section of units"));
  if (content.finish(codec_.section(), records(), key_seed()) != content_id()) {
    data_.fail("its records do not fit its content id");
  }
}

}  // namespace

// Rows of the registry take the path, which others keep.
std::unique_ptr<const RecordFile> open_flat(
    base::FileDescriptor data,
    std::filesystem::path path,  // NOLINT(performance-unnecessary-value-param)
    const file::Container& index, const KeysInOrder& keys, file::Loading loading) {
  return open_flat_container(file::Container::open(data, path.string(), loading), index, keys);
}

std::unique_ptr<const RecordFile> open_flat_container(file::Container data,
                                                      const file::Container& index,
                                                      const KeysInOrder& keys) {
  return std::make_unique<FlatFile>(std::move(data), index, keys);
}

}  // namespace crivo::records
