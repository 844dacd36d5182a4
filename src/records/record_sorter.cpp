#include "records/record_sorter.hpp"

#include <algorithm>
#include <array>
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
constexpr std::size_t kBufferBytes = std::size_t{8} << 10;

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

// Calls visit(entry, rank) for every entry of `bytes`.
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
      visit(entry, found[i]);
      at += entry.size();
    }
  }
}

}  // namespace

RecordSorter::RecordSorter(const std::filesystem::path& temp_directory, Duplicates duplicates)
    : duplicates_(duplicates),
      spool_(temp_directory, kPartitions, kBufferBytes),
      moved_(temp_directory, kPartitions, kBufferBytes) {}

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

// Copies the records whose rank belongs to another partition than their hash to that partition.
void RecordSorter::move_displaced(std::span<const std::uint64_t> bounds, const Ranks& ranks,
                                  base::Progress& progress) {
  for (std::size_t p = 0; p < kPartitions; ++p) {
    const std::vector<std::byte> bytes = spool_.read(p);
    for_each_ranked(bytes, ranks, [&](const Entry& entry, std::uint64_t rank) {
      if (rank >= bounds[p] && rank < bounds[p + 1]) return;
      if (rank >= bounds[kPartitions]) {
        throw Error(ErrorKind::bad_input, "a record has rank " + std::to_string(rank) + " of " +
                                              std::to_string(bounds[kPartitions]));
      }
      const auto above = std::ranges::upper_bound(bounds, rank);
      moved_.append(static_cast<std::size_t>(above - bounds.begin()) - 1,
                    {base::ByteView(entry.at, entry.size())});
    });
    progress.add(bounds[p + 1] - bounds[p]);
  }
}

void RecordSorter::emit(std::uint64_t keys, const Ranks& ranks, const Emit& emit,
                        base::Progress& progress) {
  std::array<std::uint64_t, kPartitions + 1> bounds{};
  for (std::size_t p = 0; p < kPartitions; ++p) {
    bounds[p] = bits::mulhi(p << (64 - kPartitionBits), keys);
  }
  bounds[kPartitions] = keys;
  progress.begin("rank records", bounds[kPartitions]);
  move_displaced(bounds, ranks, progress);
  progress.begin("write records", bounds[kPartitions]);
  std::vector<const std::byte*> slots;
  for (std::size_t p = 0; p < kPartitions; ++p) {
    slots.assign(bounds[p + 1] - bounds[p], nullptr);
    const std::vector<std::byte> own = spool_.read(p);
    const std::vector<std::byte> moved = moved_.read(p);
    for (const base::ByteView bytes : {base::ByteView(own), base::ByteView(moved)}) {
      for_each_ranked(bytes, ranks, [&](const Entry& entry, std::uint64_t rank) {
        if (rank < bounds[p] || rank >= bounds[p + 1]) return;  // moved
        const std::byte*& slot = slots[rank - bounds[p]];
        if (slot == nullptr) {
          slot = entry.at;
          return;
        }
        const Entry other(slot);
        if (duplicates_ == Duplicates::refuse || other.hash() != entry.hash()) {
          throw Error(ErrorKind::bad_input,
                      "records " + std::to_string(std::min(other.sequence(), entry.sequence())) +
                          " and " + std::to_string(std::max(other.sequence(), entry.sequence())) +
                          " have one rank: is their key the same?");
        }
        if (entry.sequence() < other.sequence()) slot = entry.at;
      });
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == nullptr) {
        throw Error(ErrorKind::bad_input, "no record has rank " + std::to_string(bounds[p] + i));
      }
      const Entry entry(slots[i]);
      emit(entry.key(), entry.record());
    }
    progress.add(slots.size());
  }
}

}  // namespace crivo::records
