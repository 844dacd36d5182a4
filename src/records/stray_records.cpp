// SPDX-License-Identifier: Apache-2.0
#include "records/stray_records.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

// An entry of the log: u64 rank, u64 first half of the hash, u32 key length, u32 record length, the
// key, the record.
constexpr std::size_t kStrayHeaderSize = 24;
constexpr std::size_t kStrayHashBytes = 16;

// So many are ranked at once, so that their cache misses overlap.
constexpr std::size_t kRankBatch = 512;

constexpr std::uint64_t kPartOfMemory = 16;

}  // namespace

void append_stray(base::Bytes& strays, const RecordEntry& record) {
  const std::size_t at = strays.size();
  strays.resize(at + kStrayHashBytes);
  base::store_le(strays.data() + at, record.hash().hi);
  base::store_le(strays.data() + at + 8, record.hash().lo);
  append_raw_record(strays, record.key(), record.record());
}

StrayRecords::StrayRecords(const std::filesystem::path& temp_directory, std::uint64_t records,
                           std::uint64_t memory_bytes)
    : records_(records), log_(temp_directory, kPartitionBits, 1, memory_bytes / kPartOfMemory) {}

std::size_t StrayRecords::partition_of(std::uint64_t rank) const noexcept {
  using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{rank} << kPartitionBits) / records_);
}

void rank_strays(base::ByteView strays, std::uint64_t records, const RankHashes& ranks,
                 const std::function<void(const RankedRecord& stray)>& use) {
  std::array<Hash128, kRankBatch> hashes;
  std::array<std::uint64_t, kRankBatch> found{};
  std::array<RankedRecord, kRankBatch> some;
  while (!strays.empty()) {
    std::size_t count = 0;
    for (; count < kRankBatch && !strays.empty(); ++count) {
      RankedRecord& stray = some[count];
      const bool is_whole = strays.size() >= kStrayHashBytes;
      if (is_whole) {
        hashes[count] = {base::load_le<std::uint64_t>(strays.data()),
                         base::load_le<std::uint64_t>(strays.data() + 8)};
        strays = strays.subspan(kStrayHashBytes);
      }
      const base::ByteView before = strays;
      if (!is_whole || !take_raw_record(strays, stray.key, stray.record))
        throw Error(ErrorKind::corrupt, "damaged: its records are malformed");
      stray.raw = before.first(before.size() - strays.size());
      check_limits(stray.key, stray.record);
    }
    ranks(std::span(hashes).first(count), found.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i] >= records) {
        throw Error(ErrorKind::bad_input, "a record has rank " + std::to_string(found[i]) + " of " +
                                              std::to_string(records));
      }
      some[i].rank = found[i];
      some[i].half = hashes[i].hi;
      use(some[i]);
    }
  }
}

void StrayRecords::add(base::ByteView strays, const RankHashes& ranks) {
  rank_strays(strays, records_, ranks, [&](const RankedRecord& stray) {
    const std::uint64_t number = partition_of(stray.rank) << (64 - kPartitionBits);
    std::byte* const entry =
        log_.add(0, number, kStrayHeaderSize + stray.key.size() + stray.record.size()).data();
    base::store_le(entry, stray.rank);
    base::store_le(entry + 8, stray.half);
    base::store_le(entry + 16, static_cast<std::uint32_t>(stray.key.size()));
    base::store_le(entry + 20, static_cast<std::uint32_t>(stray.record.size()));
    std::byte* const key = entry + kStrayHeaderSize;
    std::ranges::copy(base::as_bytes(stray.record),
                      std::ranges::copy(base::as_bytes(stray.key), key).out);
  });
}

void StrayRecords::load(std::size_t partition) {
  loaded_.clear();
  entries_.clear();
  taken_ = 0;
  const auto room = [&](std::size_t bytes) { return std::span(loaded_.emplace_back(bytes)); };
  for (std::size_t run = 0; run != log_.runs(); ++run) {
    for (base::ByteView rest = log_.read(run, partition, partition + 1, room); !rest.empty();) {
      entries_.push_back({base::load_le<std::uint64_t>(rest.data()), rest.data()});
      rest = rest.subspan(kStrayHeaderSize + base::load_le<std::uint32_t>(rest.data() + 16) +
                          base::load_le<std::uint32_t>(rest.data() + 20));
    }
  }
  std::ranges::sort(entries_, {}, &Entry::rank);
}

HalvedRecord StrayRecords::take(std::uint64_t rank) {
  if (rank < records_) {
    for (const std::size_t partition = partition_of(rank); next_ <= partition; ++next_) {
      if (taken_ != entries_.size()) break;
      load(next_);
    }
  }
  if (taken_ == entries_.size() || entries_[taken_].rank != rank) {
    throw Error(ErrorKind::bad_input, "no record has rank " + std::to_string(rank) +
                                          "; perhaps two keys are equal, or one is missing");
  }
  const std::byte* const entry = entries_[taken_++].bytes;
  const auto* const key = reinterpret_cast<const char*>(entry + kStrayHeaderSize);
  const auto key_size = base::load_le<std::uint32_t>(entry + 16);
  return {base::load_le<std::uint64_t>(entry + 8),
          {key, key_size},
          {key + key_size, base::load_le<std::uint32_t>(entry + 20)}};
}

}  // namespace crivo::records
