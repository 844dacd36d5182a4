// SPDX-License-Identifier: Apache-2.0
#include "records/served/served_records.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"
#include "records/backends/flat/slotted_units.hpp"
#include "records/served/bumped_table.hpp"
#include "records/unit.hpp"
#include "structures/rank_runs.hpp"

namespace crivo::records {

namespace {

/// So many ranks are checked at once on a thread.
constexpr std::uint64_t kServedRanksChecked = 1024;
/// The cost of verify(), measured: of a record in ns of one thread.
constexpr double kServedRecordCost = 100;

using PartRuns = RankRuns<SlottedUnits>;

/// The sections of one type by their tags.
std::map<std::uint64_t, base::ByteView> by_tag(const file::Container& manifest,
                                               std::uint32_t type) {
  std::map<std::uint64_t, base::ByteView> found;
  for (const file::SectionEntry& section : manifest.sections()) {
    if (section.type == type) found.emplace(section.tag, manifest.bytes_of(section));
  }
  return found;
}

/// By part.
std::vector<base::ByteView> notes_of(const file::Container& manifest, std::uint64_t parts) {
  std::vector<base::ByteView> notes(parts);
  for (const auto& [part, bytes] : by_tag(manifest, file::kPartNotesSection)) {
    if (part >= parts) manifest.fail("damaged: some of its records belong to no part");
    notes[part] = bytes;
  }
  return notes;
}

/// The runs of the parts that have ranks, which are those below `end`.
PartRuns runs_of(const file::Container& manifest, std::uint64_t end) {
  const auto slots = by_tag(manifest, file::kSlotSection);
  const auto units = by_tag(manifest, file::kUnitSection);
  std::vector<PartRuns::Run> runs;
  for (auto at = slots.begin(); at != slots.end(); ++at) {
    const std::uint64_t first = at->first;
    const std::uint64_t next = std::next(at) == slots.end() ? end : std::next(at)->first;
    const auto own = units.find(first);
    if ((runs.empty() && first != 0) || next <= first || next > end || own == units.end())
      manifest.fail("damaged: its parts' records do not follow one another");
    const Slots some = file::naming(
        manifest.name(), [&] { return Slots(manifest.touched(at->second), next - first); });
    runs.push_back({first, next - first, SlottedUnits(some, own->second)});
  }
  if (units.size() != slots.size() || (runs.empty() && end != 0))
    manifest.fail("damaged: its parts' records are not all there");
  return {std::move(runs), manifest.header().keys};
}

class ServedRecords final : public RecordFile {
 public:
  explicit ServedRecords(const file::Container& manifest)
      : name_(manifest.name()),
        header_(manifest.header()),
        bumped_(file::naming(manifest.name(),
                             [&] {
                               return BumpedTable(
                                   manifest.touched(manifest.require(file::kBumpedRecordsSection,
                                                                     "bumped keys' records")),
                                   manifest.header().keys,
                                   notes_of(manifest, manifest.parts()->parts()));
                             })),
        runs_(runs_of(manifest, bumped_.part_ranks())),
        codec_(codec_of(manifest)) {}

  const ContentId& content_id() const noexcept override { return header_.content_id; }
  std::uint64_t records() const noexcept override { return header_.keys; }
  std::uint64_t key_seed() const noexcept override { return header_.seed; }
  std::uint64_t file_bytes() const noexcept override { return 0; }  // all are the manifest's
  const StoredCodec& codec() const noexcept override { return codec_; }
  std::unique_ptr<RecordReader> reader() const override;

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return {{"records", 1 + kServedRecordCost * static_cast<double>(records()) / threads}};
  }
  /// The bytes of the parts are verified with the manifest.
  void verify(const base::BuildContext& context, const Visit& visit) const override;
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept override {
    return locate(rank, half).may_hold;
  }

  /// Where the record of a rank is: in a part, with the entry of its slot; or that of a bumped key.
  struct Place {
    bool may_hold = false;
    const PartRuns::Run* run = nullptr;  ///< null: a bumped key's
    SlotEntry entry{};
    std::uint64_t bumped_key = 0;
  };
  /// `may_hold` is false where no key whose hash has this first half has the rank.
  Place locate(std::uint64_t rank, std::uint64_t half) const noexcept {
    const PartRuns::Run* const run = runs_.find(rank);
    const std::uint16_t fingerprint = run != nullptr ? run->held.fingerprint(rank - run->first) : 0;
    if (fingerprint == 0) [[unlikely]] {  // as bumped keys have, and 1 other of 2^16
      const std::uint64_t bumped_key = bumped_.find(rank);
      if (bumped_key != bumped_.count()) return {true, nullptr, {}, bumped_key};
      if (run == nullptr) return {true, nullptr, {}, bumped_key};  // damaged
    }
    if (fingerprint != fingerprint_of(half)) return {};
    return {true, run, run->held.touched_entry(rank - run->first), 0};
  }
  /// The same where may_hold() was asked.
  Place locate(std::uint64_t rank) const noexcept {
    const PartRuns::Run* const run = runs_.find(rank);
    return locate(rank, run != nullptr ? run->held.fingerprint(rank - run->first) : 0);
  }
  void prefetch_slot(std::uint64_t rank) const noexcept {
    const PartRuns::Run* const run = runs_.find(rank);
    if (run != nullptr) run->held.prefetch_slot(rank - run->first);
  }

  const BumpedTable& bumped() const noexcept { return bumped_; }
  UnitReader unit_reader() const { return UnitReader(codec_); }

 private:
  [[noreturn]] void fail_at(std::uint64_t rank, const char* what) const {
    throw Error(
        ErrorKind::corrupt,
        name_ + ": damaged: the " + what + " of rank " + std::to_string(rank) + ", in its parts",
        {.file = name_});
  }
  void check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;
  /// The number of bumped keys among the records.
  std::uint32_t check_unit(const PartRuns::Run& run, std::uint64_t first, UnitReader& unit,
                           const Visit& visit) const;
  /// Whether the rank is a bumped key's: then that is checked.
  bool check_bumped(std::uint64_t rank, const Visit& visit) const;

  std::string name_;
  file::Header header_;
  BumpedTable bumped_;
  PartRuns runs_;
  StoredCodec codec_;
};

class ServedReader final : public RecordReader {
 public:
  explicit ServedReader(const ServedRecords& records)
      : records_(records), reader_(records.unit_reader()) {}

  Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept override {
    return read_at(rank, records_.locate(rank, half), key);
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    return read_at(rank, records_.locate(rank), key);
  }

  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
            std::span<const std::string_view> keys, const Visit& visit) override {
    std::array<ServedRecords::Place, 2 * kEntriesAhead> asked;  // a ring
    for_each_ahead(
        ranks.size(),
        [&](std::size_t i) {
          if (ranks[i] != kNoRank) records_.prefetch_slot(ranks[i]);
        },
        [&](std::size_t i) {
          ServedRecords::Place& place = asked[i % asked.size()];
          place =
              ranks[i] != kNoRank ? records_.locate(ranks[i], halves[i]) : ServedRecords::Place{};
          return place.run != nullptr ? place.run->held.prefetch(place.entry) : std::uint64_t{0};
        },
        [&](std::size_t i) { visit(i, read_at(ranks[i], asked[i % asked.size()], keys[i])); });
  }

 private:
  Lookup read_at(std::uint64_t rank, const ServedRecords::Place& place,
                 std::string_view key) noexcept {
    if (!place.may_hold) return {};
    if (place.run != nullptr)
      return reader_.read(place.run->held, rank - place.run->first, place.entry, key);
    std::string_view found;
    std::string_view record;
    if (place.bumped_key == records_.bumped().count() ||
        !records_.bumped().read(place.bumped_key, rank, found, record)) {
      return {Outcome::damaged, {}};
    }
    if (found != key) return {};
    return {Outcome::found, record};
  }

  const ServedRecords& records_;
  SlottedReader reader_;
};

std::unique_ptr<RecordReader> ServedRecords::reader() const {
  return std::make_unique<ServedReader>(*this);
}

bool ServedRecords::check_bumped(std::uint64_t rank, const Visit& visit) const {
  const std::uint64_t bumped_key = bumped_.find(rank);
  if (bumped_key == bumped_.count()) return false;
  std::string_view key;
  std::string_view record;
  if (!bumped_.read(bumped_key, rank, key, record)) fail_at(rank, "record");
  if (visit) visit(rank, key, record);
  return true;
}

std::uint32_t ServedRecords::check_unit(const PartRuns::Run& run, std::uint64_t first,
                                        UnitReader& unit, const Visit& visit) const {
  const std::uint64_t place = first - run.first;
  if (!unit.open(run.held.unit_at(run.held.entry(place)), place)) fail_at(first, "unit");
  if (unit.records() == 0 || unit.records() > run.size - place) fail_at(first, "unit");
  bool has_bumped = false;
  for (std::uint32_t i = 0; i < unit.records(); ++i) {
    std::string_view key;
    std::string_view record;
    if (!unit.take(key, record)) fail_at(first, "unit");
    if (i != 0 && run.held.entry(place + i).size != 0) fail_at(first + i, "slot");
    if (run.held.fingerprint(place + i) == 0 && check_bumped(first + i, visit)) {
      if (!key.empty() || !record.empty()) fail_at(first, "unit");
      has_bumped = true;
    } else if (visit) {
      visit(first + i, key, record);
    }
  }
  if (!has_bumped && !unit.is_finished()) fail_at(first, "unit");
  return unit.records();
}

/// The ranks whose units begin in [begin, end).
void ServedRecords::check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
  UnitReader unit = unit_reader();
  const bool by_record = codec_.type().by_record;
  std::uint64_t rank = begin;
  bool is_in_unit = true;  // of a rank before, which has it
  while (rank < end) {
    const PartRuns::Run* const run = runs_.find(rank);
    const bool is_empty = run == nullptr || run->held.entry(rank - run->first).size == 0;
    if (!is_empty) {
      rank += check_unit(*run, rank, unit, visit);
      is_in_unit = false;
    } else if (run != nullptr && !by_record) {
      if (!is_in_unit || rank == run->first) fail_at(rank, "slot");
      ++rank;
    } else {
      if (!check_bumped(rank, visit)) fail_at(rank, "record");
      ++rank;
    }
  }
}

void ServedRecords::verify(const base::BuildContext& context, const Visit& visit) const {
  context.progress.begin("records", records());
  base::parallel_ranges(context.threads, records(), kServedRanksChecked,
                        [&](std::uint64_t begin, std::uint64_t end) {
                          check_ranks(begin, end, visit);
                          context.progress.add(end - begin);
                        });
}

}  // namespace

const Backend& served_backend() noexcept {
  static constexpr Backend kServed{.name = "parts",
                                   .family = {},
                                   .section_type = file::kBumpedRecordsSection,
                                   .refuses_by_slot = true,
                                   .is_signed = true,
                                   .may_be_ordered = false,
                                   .description = {},
                                   .open = nullptr,
                                   .open_container = nullptr};
  return kServed;
}

std::unique_ptr<const RecordFile> open_served(const file::Container& manifest) {
  return std::make_unique<ServedRecords>(manifest);
}

}  // namespace crivo::records
