// SPDX-License-Identifier: Apache-2.0
#include "records/build/bumped_records.hpp"

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
constexpr std::size_t kBumpedHeaderSize = 24;
constexpr std::size_t kBumpedHashBytes = 16;

// So many are ranked at once, so that their cache misses overlap.
constexpr std::size_t kRankBatch = 512;

constexpr std::uint64_t kPartOfMemory = 16;

}  // namespace

void append_bumped(base::Bytes& bumped, const RecordBatch& batch, const RecordEntry& entry) {
  const std::size_t at = bumped.size();
  bumped.resize(at + kBumpedHashBytes);
  base::store_le(bumped.data() + at, entry.hash().hi);
  base::store_le(bumped.data() + at + 8, entry.hash().lo);
  append_raw_sizes(bumped, entry.key_size(), entry.record_size());
  batch.append_pair(entry, bumped);
}

BumpedRecords::BumpedRecords(const std::filesystem::path& temp_directory, std::uint64_t records,
                             std::uint64_t memory_bytes)
    : records_(records), log_(temp_directory, kPartitionBits, 1, memory_bytes / kPartOfMemory) {}

std::size_t BumpedRecords::partition_of(std::uint64_t rank) const noexcept {
  using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{rank} << kPartitionBits) / records_);
}

void rank_bumped(base::ByteView bumped, std::uint64_t records, const RankHashes& ranks,
                 const std::function<void(const RankedRecord& bumped_key)>& use) {
  std::array<Hash128, kRankBatch> hashes;
  std::array<std::uint64_t, kRankBatch> found{};
  std::array<RankedRecord, kRankBatch> some;
  while (!bumped.empty()) {
    std::size_t count = 0;
    for (; count < kRankBatch && !bumped.empty(); ++count) {
      RankedRecord& bumped_key = some[count];
      const bool is_whole = bumped.size() >= kBumpedHashBytes;
      if (is_whole) {
        hashes[count] = {base::load_le<std::uint64_t>(bumped.data()),
                         base::load_le<std::uint64_t>(bumped.data() + 8)};
        bumped = bumped.subspan(kBumpedHashBytes);
      }
      const base::ByteView before = bumped;
      if (!is_whole || !take_raw_record(bumped, bumped_key.key, bumped_key.record))
        throw Error(ErrorKind::corrupt, "damaged: its records are malformed");
      bumped_key.raw = before.first(before.size() - bumped.size());
      check_limits(bumped_key.key, bumped_key.record);
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

void BumpedRecords::add(base::ByteView bumped, const RankHashes& ranks) {
  rank_bumped(bumped, records_, ranks, [&](const RankedRecord& bumped_key) {
    const std::uint64_t number = partition_of(bumped_key.rank) << (64 - kPartitionBits);
    std::byte* const entry =
        log_.add(0, number, kBumpedHeaderSize + bumped_key.key.size() + bumped_key.record.size())
            .data();
    base::store_le(entry, bumped_key.rank);
    base::store_le(entry + 8, bumped_key.half);
    base::store_le(entry + 16, static_cast<std::uint32_t>(bumped_key.key.size()));
    base::store_le(entry + 20, static_cast<std::uint32_t>(bumped_key.record.size()));
    std::byte* const key = entry + kBumpedHeaderSize;
    std::ranges::copy(base::as_bytes(bumped_key.record),
                      std::ranges::copy(base::as_bytes(bumped_key.key), key).out);
  });
}

void BumpedRecords::load(std::size_t partition) {
  loaded_.clear();
  entries_.clear();
  taken_ = 0;
  const auto room = [&](std::size_t bytes) { return std::span(loaded_.emplace_back(bytes)); };
  for (std::size_t run = 0; run != log_.runs(); ++run) {
    for (base::ByteView rest = log_.read(run, partition, partition + 1, room); !rest.empty();) {
      entries_.push_back({base::load_le<std::uint64_t>(rest.data()), rest.data()});
      rest = rest.subspan(kBumpedHeaderSize + base::load_le<std::uint32_t>(rest.data() + 16) +
                          base::load_le<std::uint32_t>(rest.data() + 20));
    }
  }
  std::ranges::sort(entries_, {}, &Entry::rank);
}

HalvedRecord BumpedRecords::take(std::uint64_t rank) {
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
  const auto* const key = reinterpret_cast<const char*>(entry + kBumpedHeaderSize);
  const auto key_size = base::load_le<std::uint32_t>(entry + 16);
  return {base::load_le<std::uint64_t>(entry + 8),
          {key, key_size},
          {key + key_size, base::load_le<std::uint32_t>(entry + 20)}};
}

}  // namespace crivo::records
