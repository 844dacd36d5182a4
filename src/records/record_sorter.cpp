// SPDX-License-Identifier: Apache-2.0
#include "records/record_sorter.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

// An entry of a log: u64 and u64 the hash, u64 the sequence number, u32 the key's length, u32 the
// record's length, the key, the record.
constexpr std::size_t kHeaderSize = 32;

// Of a partition: a write of so many bytes is none too small for a disk that is written in order.
constexpr std::size_t kMostBufferBytes = std::size_t{8} << 10;
constexpr std::size_t kLeastBufferBytes = std::size_t{1} << 10;
// Few records are moved.
constexpr std::size_t kMovedPart = 4;

// Of the memory, what a log's buffers may take, and what records are arranged in.
constexpr std::uint64_t kBufferPart = 8;
constexpr std::uint64_t kArrangedPart = 8;
constexpr std::uint64_t kLeastArrangedBytes = std::uint64_t{2} << 20;
// Partitions that have less are arranged together: so much that few records leave a stretch, and
// little more than a processor's own cache.
constexpr std::uint64_t kStretchBytes = std::uint64_t{4} << 20;

// So many bytes of a log are read at a time.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

constexpr std::size_t kNoEntry = SIZE_MAX;

std::uint64_t most_arranged(std::uint64_t memory_bytes) {
  return std::max(memory_bytes / kArrangedPart, kLeastArrangedBytes);
}

// How many partitions to arrange together.
std::size_t partitions_together(std::uint64_t all_bytes, std::uint64_t most_arranged) {
  const std::uint64_t most = std::min(kStretchBytes, most_arranged);
  std::size_t together = 1;
  while (together < RecordSorter::kPartitions &&
         all_bytes / RecordSorter::kPartitions * 2 * together <= most) {
    together *= 2;
  }
  return together;
}

std::size_t buffer_bytes(std::uint64_t memory_bytes) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(
      memory_bytes / kBufferPart / RecordSorter::kPartitions, kLeastBufferBytes, kMostBufferBytes));
}

// The hashes of so many entries are ranked at once, so that their cache misses overlap.
constexpr std::size_t kRankBatch = 512;

struct Entry {
  explicit Entry(const std::byte* bytes) noexcept : at(bytes) {}

  Hash128 hash() const noexcept {
    return {base::load_le<std::uint64_t>(at), base::load_le<std::uint64_t>(at + 8)};
  }
  std::uint64_t sequence() const noexcept { return base::load_le<std::uint64_t>(at + 16); }
  std::uint32_t key_size() const noexcept { return base::load_le<std::uint32_t>(at + 24); }
  std::uint32_t record_size() const noexcept { return base::load_le<std::uint32_t>(at + 28); }
  std::size_t size() const noexcept { return kHeaderSize + key_size() + record_size(); }
  std::string_view key() const noexcept {
    return {reinterpret_cast<const char*>(at + kHeaderSize), key_size()};
  }
  std::string_view record() const noexcept {
    return {reinterpret_cast<const char*>(at + kHeaderSize + key_size()), record_size()};
  }

  const std::byte* at;
};

// Calls visit(entry, rank) for every entry of `bytes`, which may then be overwritten up to its end.
template <typename Visit>
void for_each_ranked(base::ByteView bytes, const RecordSorter::Ranks& ranks, Visit&& visit) {
  std::array<Hash128, kRankBatch> hashes;
  std::array<std::uint64_t, kRankBatch> found;
  const std::byte* const end = bytes.data() + bytes.size();
  for (const std::byte* at = bytes.data(); at != end;) {
    std::size_t count = 0;
    const std::byte* next = at;
    for (; count < kRankBatch && next != end; ++count) {
      const Entry entry(next);
      hashes[count] = entry.hash();
      next += entry.size();
    }
    ranks(std::span(hashes).first(count), found.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Entry entry(at);
      at += entry.size();
      visit(entry, found[i]);
    }
  }
}

}  // namespace

RecordSorter::RecordSorter(const std::filesystem::path& temp_directory, Duplicates duplicates,
                           std::uint64_t memory_bytes)
    : duplicates_(duplicates),
      most_arranged_(most_arranged(memory_bytes)),
      spool_(temp_directory, kPartitions, buffer_bytes(memory_bytes)),
      moved_(temp_directory, kPartitions, buffer_bytes(memory_bytes) / kMovedPart) {}

void RecordSorter::add(Hash128 hash, std::uint64_t sequence, std::string_view key,
                       std::string_view record) {
  check_limits(key, record);
  std::array<std::byte, kHeaderSize> header;
  base::store_le(header.data(), hash.hi);
  base::store_le(header.data() + 8, hash.lo);
  base::store_le(header.data() + 16, sequence);
  base::store_le(header.data() + 24, static_cast<std::uint32_t>(key.size()));
  base::store_le(header.data() + 28, static_cast<std::uint32_t>(record.size()));
  spool_.append(bits::top_bits(hash.hi, kPartitionBits),
                {header, base::as_bytes(key), base::as_bytes(record)});
}

double RecordSorter::listed_bytes(double pair_bytes, std::uint64_t memory_bytes) noexcept {
  const double chunks =
      (kHeaderSize + pair_bytes) / static_cast<double>(buffer_bytes(memory_bytes));
  return std::min(chunks, 1.0) * base::PartitionedLog::kChunkBytes;
}

std::uint64_t RecordSorter::arranged_bytes(std::uint64_t all_bytes,
                                           std::uint64_t memory_bytes) noexcept {
  const std::uint64_t most = most_arranged(memory_bytes);
  return std::min(all_bytes / kPartitions * partitions_together(all_bytes, most), most);
}

// Copies the records whose rank belongs to another stretch than their hash to that stretch, of
// which bounds has the first ranks and the end.
void RecordSorter::move_displaced(std::span<const std::uint64_t> bounds, const Ranks& ranks,
                                  base::Progress& progress) {
  for (std::size_t p = 0; p < kPartitions; ++p) {
    const std::size_t s = p / together_;
    entries_.clear();
    for (std::size_t chunk = 0; spool_.read(p, chunk, kReadBytes, entries_); entries_.clear()) {
      for_each_ranked(entries_, ranks, [&](const Entry& entry, std::uint64_t rank) {
        if (rank >= bounds[s] && rank < bounds[s + 1]) return;
        if (rank >= bounds.back()) {
          throw Error(ErrorKind::bad_input, "a record has rank " + std::to_string(rank) + " of " +
                                                std::to_string(bounds.back()));
        }
        const auto above = std::ranges::upper_bound(bounds, rank);
        moved_.append(static_cast<std::size_t>(above - bounds.begin()) - 1,
                      {base::ByteView(entry.at, entry.size())});
      });
    }
    if ((p + 1) % together_ == 0) progress.add(bounds[s + 1] - bounds[s]);
  }
}

// Collects the records of a stretch whose ranks are in [begin, end).
void RecordSorter::arrange(std::size_t stretch, std::uint64_t begin, std::uint64_t end,
                           const Ranks& ranks) {
  slots_.assign(end - begin, kNoEntry);
  entries_.clear();
  repeated_.clear();
  std::size_t kept = 0;
  const auto take = [&](const Entry& entry, std::uint64_t rank) {
    if (rank < begin || rank >= end) return;
    std::size_t& slot = slots_[rank - begin];
    if (slot != kNoEntry) {
      const Entry other(entries_.data() + slot);
      if (duplicates_ == Duplicates::refuse || other.hash() != entry.hash()) {
        throw Error(ErrorKind::bad_input,
                    "records " + std::to_string(std::min(other.sequence(), entry.sequence())) +
                        " and " + std::to_string(std::max(other.sequence(), entry.sequence())) +
                        " have one rank: is their key the same?");
      }
      if (duplicates_ == Duplicates::join) {
        repeated_.push_back({rank - begin, entry.sequence(), kept});
      } else {
        const bool later = entry.sequence() > other.sequence();
        if (later != (duplicates_ == Duplicates::keep_last)) return;
        slot = kept;
      }
    } else {
      slot = kept;
    }
    const std::size_t size = entry.size();
    std::byte* const to = entries_.data() + kept;
    if (to != entry.at) std::memmove(to, entry.at, size);
    kept += size;
  };
  const auto take_all = [&](const base::PartitionedLog& log, std::size_t partition) {
    for (std::size_t chunk = 0; log.read(partition, chunk, kReadBytes, entries_);) {
      for_each_ranked(std::span(entries_).subspan(kept), ranks, take);
      entries_.resize(kept);
    }
  };
  for (std::size_t p = 0; p < together_; ++p) take_all(spool_, stretch * together_ + p);
  take_all(moved_, stretch);
}

std::string_view RecordSorter::join(std::size_t slot, std::size_t& next) {
  std::size_t end = next;
  while (end < repeated_.size() && repeated_[end].slot == slot) ++end;
  const Entry own(entries_.data() + slots_[slot]);
  if (end == next) return own.record();
  joined_.clear();
  bool first = true;
  bool own_is_due = true;
  const auto put = [&](const Entry& entry) {
    if (!first) joined_ += '\n';
    first = false;
    joined_ += entry.record();
  };
  for (; next < end; ++next) {
    if (own_is_due && own.sequence() < repeated_[next].sequence) {
      put(own);
      own_is_due = false;
    }
    put(Entry(entries_.data() + repeated_[next].entry));
  }
  if (own_is_due) put(own);
  check_limits(own.key(), joined_);
  return joined_;
}

void RecordSorter::emit(std::uint64_t keys, const Ranks& ranks, const Emit& emit,
                        base::Progress& progress) {
  std::uint64_t all_bytes = 0;
  for (std::size_t p = 0; p < kPartitions; ++p) all_bytes += spool_.size(p);
  together_ = partitions_together(all_bytes, most_arranged_);
  const std::size_t stretches = kPartitions / together_;
  std::vector<std::uint64_t> bounds;
  for (std::size_t s = 0; s < stretches; ++s) {
    bounds.push_back(bits::mulhi(s * together_ << (64 - kPartitionBits), keys));
  }
  bounds.push_back(keys);
  progress.begin("rank records", keys);
  move_displaced(bounds, ranks, progress);
  progress.begin("write records", keys);
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::uint64_t in_all = bounds[s + 1] - bounds[s];
    std::uint64_t bytes = moved_.size(s) + in_all * sizeof(slots_[0]);
    for (std::size_t p = 0; p < together_; ++p) bytes += spool_.size(s * together_ + p);
    const std::uint64_t ranges = std::clamp<std::uint64_t>(
        (bytes + most_arranged_ - 1) / most_arranged_, 1, std::max<std::uint64_t>(in_all, 1));
    for (std::uint64_t r = 0; r < ranges; ++r) {
      const std::uint64_t begin = bounds[s] + in_all * r / ranges;
      const std::uint64_t end = bounds[s] + in_all * (r + 1) / ranges;
      arrange(s, begin, end, ranks);
      std::ranges::sort(repeated_);
      std::size_t repeated = 0;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i] == kNoEntry) {
          throw Error(ErrorKind::bad_input, "no record has rank " + std::to_string(begin + i));
        }
        const Entry entry(entries_.data() + slots_[i]);
        emit(entry.hash(), entry.key(), join(i, repeated));
      }
      progress.add(slots_.size());
    }
  }
}

}  // namespace crivo::records
