// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "bits/arithmetic.hpp"
#include "file/section_types.hpp"
#include "records/backends/flat/flat.hpp"
#include "records/backends/flat/slots.hpp"
#include "records/codec_section.hpp"
#include "records/content_hash.hpp"
#include "records/fingerprint.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

/// So many ranks are checked at once on a thread: of whole lines.
constexpr std::uint64_t kRanksChecked = 512 * kSlotsALine;

// A batch asks for a slot, then for the entry that it names, then reads that.
constexpr std::size_t kSlotsAhead = 32;
constexpr std::size_t kEntriesAhead = 12;

/// Of verify(), measured: of a byte that is checked, and of a record, in ns of one thread.
constexpr double kFlatByteCost = 0.15;
constexpr double kFlatRecordCost = 100;

class FlatFile final : public RecordFile {
 public:
  FlatFile(base::FileDescriptor data, const std::filesystem::path& path,
           const file::Container& index, file::Loading loading)
      : data_(file::Container::open(data, path.string(), loading)),
        units_(data_.require(file::kUnitSection, "section of units")),
        slots_(file::naming(index.name(),
                            [&] {
                              return Slots(index.require(file::kSlotSection, "slots"),
                                           index.header().keys);
                            })),
        codec_section_(file::naming(
            index.name(),
            [&] { return CodecSection::decode(index.require(file::kCodecSection, "codec")); })),
        codec_(file::naming(
            index.name(), [&] { return codec_section_.type().open(codec_section_.dictionary); })) {
    const file::Header& header = data_.header();
    if (header.kind != file::Kind::records) data_.fail("is no file of records");
    if (header.content_id != index.header().content_id) {
      data_.fail("the index and the records are of different builds");
    }
    if (header.keys != slots_.records()) {
      data_.fail("damaged: it and the index disagree on the number of records");
    }
  }

  const ContentId& content_id() const noexcept override { return data_.header().content_id; }
  std::uint64_t records() const noexcept override { return slots_.records(); }
  std::uint64_t key_seed() const noexcept override { return data_.header().seed; }
  std::uint64_t file_bytes() const noexcept override { return data_.bytes(); }
  const CodecSection& codec() const noexcept override { return codec_section_; }
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept override {
    return slots_.fingerprint(rank) == fingerprint_of(half);
  }

  std::unique_ptr<RecordReader> reader() const override;

  std::vector<Progress::Phase> verify_phases(unsigned threads) const override {
    return {{"checksums of the records",
             1 + kFlatByteCost * static_cast<double>(file_bytes()) / threads},
            {"records", 1 + kFlatRecordCost * static_cast<double>(records()) / threads}};
  }
  void verify(const base::BuildContext& context, const Visit& visit) const override;

  const Slots& slots() const noexcept { return slots_; }
  /// The unit that is said to be there; empty where that is none of the section.
  base::ByteView unit_at(SlotEntry entry) const noexcept {
    if (entry.is_reference) entry = followed(entry);
    if (entry.begin > units_.size() || entry.size > units_.size() - entry.begin) return {};
    return units_.subspan(entry.begin, entry.size);
  }
  [[gnu::always_inline]] void prefetch(const SlotEntry& entry) const noexcept {
    if (entry.begin > units_.size() || entry.size > units_.size() - entry.begin) return;
    base::prefetch_lines(units_.data() + entry.begin, entry.size);
  }
  UnitReader unit_reader() const {
    return {codec_section_.type(), *codec_, codec_section_.longest_raw};
  }

 private:
  SlotEntry followed(const SlotEntry& entry) const noexcept {
    if (entry.size != kReferenceBytes || units_.size() < kReferenceBytes ||
        entry.begin > units_.size() - kReferenceBytes) {
      return {};
    }
    const std::byte* const reference = units_.data() + entry.begin;
    return {base::load_le<std::uint64_t>(reference), base::load_le<std::uint64_t>(reference + 8)};
  }
  [[noreturn]] void fail_at(std::uint64_t rank, const SlotEntry& entry, const char* what) const;
  void check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;

  file::Container data_;
  base::ByteView units_;
  Slots slots_;
  CodecSection codec_section_;
  std::unique_ptr<const Codec> codec_;
};

class FlatReader final : public RecordReader {
 public:
  explicit FlatReader(const FlatFile& file) : file_(file), unit_(file.unit_reader()) {}

  Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept override {
    if (!file_.may_hold(rank, half)) return {};
    return read_at(rank, file_.slots().entry(rank), key);
  }
  Lookup read(std::uint64_t rank, std::string_view key) noexcept override {
    return read_at(rank, file_.slots().entry(rank), key);
  }

  void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
            std::span<const std::string_view> keys, const Visit& visit) override {
    // The entries that were asked for and not yet read, in a ring.
    std::array<SlotEntry, 2 * kEntriesAhead> asked;
    std::array<bool, 2 * kEntriesAhead> matches{};
    const Slots& slots = file_.slots();
    const auto ask = [&](std::size_t i) {
      const std::size_t at = i % asked.size();
      matches[at] = ranks[i] != kNoRank && file_.may_hold(ranks[i], halves[i]);
      if (!matches[at]) return;
      asked[at] = slots.entry(ranks[i]);
      file_.prefetch(asked[at]);
    };
    const auto ask_slot = [&](std::size_t i) {
      if (ranks[i] != kNoRank) slots.prefetch(ranks[i]);
    };
    const std::size_t size = ranks.size();
    for (std::size_t i = 0; i < std::min(kSlotsAhead, size); ++i) ask_slot(i);
    for (std::size_t i = 0; i < std::min(kEntriesAhead, size); ++i) ask(i);
    for (std::size_t i = 0; i < size; ++i) {
      if (i + kSlotsAhead < size) ask_slot(i + kSlotsAhead);
      if (i + kEntriesAhead < size) ask(i + kEntriesAhead);
      const std::size_t at = i % asked.size();
      visit(i, matches[at] ? read_at(ranks[i], asked[at], keys[i]) : Lookup{});
    }
  }

 private:
  Lookup read_at(std::uint64_t rank, SlotEntry entry, std::string_view key) noexcept {
    if (unit_.by_record()) return unit_.find(file_.unit_at(entry), rank, key);
    std::uint64_t first = rank;
    while (entry.size == 0) {  // of the unit of a rank before
      if (first == 0) return {Outcome::damaged, {}};
      entry = file_.slots().entry(--first);
    }
    if (first != opened_ || !is_open_) {
      opened_ = first;
      next_ = 0;
      is_open_ = unit_.open(file_.unit_at(entry), first);
      if (!is_open_) return {Outcome::damaged, {}};
    }
    const std::uint64_t number = rank - first;
    if (number >= unit_.records()) return {Outcome::damaged, {}};
    if (number < next_) {
      unit_.rewind();
      next_ = 0;
    }
    std::string_view found;
    std::string_view record;
    for (; next_ <= number; ++next_) {
      if (!unit_.take(found, record)) {
        is_open_ = false;
        return {Outcome::damaged, {}};
      }
    }
    if (found != key) return {};
    return {Outcome::found, record};
  }

  const FlatFile& file_;
  UnitReader unit_;
  bool is_open_ = false;
  std::uint64_t opened_ = 0;  ///< the first rank of the open unit
  std::uint64_t next_ = 0;    ///< what unit_ will take
};

std::unique_ptr<RecordReader> FlatFile::reader() const {
  return std::make_unique<FlatReader>(*this);
}

void FlatFile::fail_at(std::uint64_t rank, const SlotEntry& entry, const char* what) const {
  data_.fail("damaged: the " + std::string(what) + " of rank " + std::to_string(rank) + ", byte " +
             std::to_string(entry.begin) + " of the section of units");
}

/// The ranks whose units begin in [begin, end), which are of whole lines.
void FlatFile::check_ranks(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
  UnitReader unit = unit_reader();
  std::uint64_t rank = begin;
  while (rank < end && slots_.entry(rank).size == 0) {
    if (rank == 0) fail_at(rank, {}, "slot");
    ++rank;  // of a unit of the ranks before
  }
  while (rank < end) {
    const SlotEntry entry = slots_.entry(rank);
    if (!unit.open(unit_at(entry), rank)) fail_at(rank, entry, "unit");
    const std::uint64_t first = rank;
    if (unit.records() == 0 || unit.records() > records() - first) fail_at(first, entry, "unit");
    for (std::uint32_t i = 0; i < unit.records(); ++i, ++rank) {
      if (i != 0 && slots_.entry(rank).size != 0) fail_at(rank, entry, "slot");
      std::string_view key;
      std::string_view record;
      if (!unit.take(key, record)) fail_at(first, entry, "unit");
      if (visit) visit(rank, key, record);
    }
    if (!unit.is_finished() || (rank < records() && slots_.entry(rank).size == 0)) {
      fail_at(first, entry, "unit");
    }
  }
}

void FlatFile::verify(const base::BuildContext& context, const Visit& visit) const {
  context.progress.begin("checksums of the records", data_.bytes(), Progress::Unit::bytes);
  data_.verify(context.threads, [&](std::uint64_t bytes) { context.progress.add(bytes); });
  context.progress.begin("records", records());
  base::parallel_for(context.threads, bits::div_ceil(records(), kRanksChecked),
                     [&](std::uint64_t range) {
                       const std::uint64_t begin = range * kRanksChecked;
                       const std::uint64_t end = std::min(begin + kRanksChecked, records());
                       check_ranks(begin, end, visit);
                       context.progress.add(end - begin);
                     });
}

}  // namespace

// Rows of the registry take the path, which others keep.
std::unique_ptr<const RecordFile> open_flat(
    base::FileDescriptor data,
    std::filesystem::path path,  // NOLINT(performance-unnecessary-value-param)
    const file::Container& index, file::Loading loading) {
  return std::make_unique<FlatFile>(std::move(data), path, index, loading);
}

}  // namespace crivo::records
