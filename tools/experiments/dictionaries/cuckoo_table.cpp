// SPDX-License-Identifier: Apache-2.0
#include "experiments/dictionaries/cuckoo_table.hpp"

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

/// So many larger tables are tried, however few the keys are, before it is given up.
constexpr unsigned kTables = 16;

}  // namespace

CuckooTable::CuckooTable(const KeySet& keys, const Hashing& hashing, const CuckooShape& shape)
    : keys_(keys),
      hash_(hashing.hash),
      range_(hashing.range),
      bucket_entries_(shape.bucket_entries),
      max_moves_(shape.max_moves) {
  if (shape.bucket_entries < 1 || !(shape.load <= 1)) {
    throw Error(ErrorKind::usage,
                "cuckoo hash table: a bucket has an entry or more, and the load is at most 1");
  }
  resize(addresses_for(keys.size(), shape.load * bucket_entries_, 1));
  for (std::uint64_t i = 0; i < keys.size(); ++i) insert(keys.start(i));
}

void CuckooTable::resize(std::uint64_t buckets) {
  if (buckets >= UINT32_MAX) {
    throw Error(ErrorKind::bad_input, "cuckoo hash table: more than 2^32 buckets would be needed");
  }
  reduce_ = classic::Reduction(range_, static_cast<std::uint32_t>(buckets));
  entries_.assign(buckets * bucket_entries_, kNoKey);
}

bool CuckooTable::insert(std::uint32_t start) {
  if (contains(keys_.at(start))) return false;
  const std::uint32_t homeless = place(start);
  ++size_;
  if (homeless != kNoKey) grow(homeless);
  return true;
}

bool CuckooTable::remove(std::string_view key) noexcept {
  Sought sought;
  const std::optional<std::uint64_t> at = locate(key, sought);
  if (!at) return false;
  entries_[*at] = kNoKey;
  --size_;
  return true;
}

bool CuckooTable::put(std::uint32_t start, std::uint32_t bucket) noexcept {
  const std::uint64_t first = std::uint64_t{bucket} * bucket_entries_;
  for (std::uint64_t at = first; at < first + bucket_entries_; ++at) {
    if (entries_[at] != kNoKey) continue;
    entries_[at] = start;
    return true;
  }
  return false;
}

std::uint32_t CuckooTable::place(std::uint32_t start) noexcept {
  const Buckets own = buckets(keys_.at(start));
  if (put(start, own.first) || put(start, own.second)) return kNoKey;
  std::uint32_t bucket = random(2) == 0 ? own.first : own.second;
  for (unsigned move = 0; move < max_moves_; ++move) {
    std::swap(start, entries_[std::uint64_t{bucket} * bucket_entries_ + random(bucket_entries_)]);
    ++moves_;
    const Buckets both = buckets(keys_.at(start));
    bucket = both.first == bucket ? both.second : both.first;
    if (put(start, bucket)) return kNoKey;
  }
  return start;
}

void CuckooTable::grow(std::uint32_t homeless) {
  std::vector<std::uint32_t> members;
  members.reserve(size_);
  for (const std::uint32_t start : entries_) {
    if (start != kNoKey) members.push_back(start);
  }
  members.push_back(homeless);
  std::uint64_t buckets = entries_.size() / bucket_entries_;
  bool all_placed = false;
  for (unsigned tried = 0; !all_placed; ++tried) {
    if (tried >= kTables && entries_.size() > 32 * (size_ + bucket_entries_)) {
      throw Error(ErrorKind::bad_input,
                  "cuckoo hash table: too many keys have the same hashes for any table");
    }
    buckets += buckets / 8 + 1;
    ++salt_;
    resize(buckets);
    all_placed = true;
    for (std::size_t i = 0; i < members.size() && all_placed; ++i) {
      all_placed = place(members[i]) == kNoKey;
    }
  }
}

std::uint32_t CuckooTable::random(std::uint32_t bound) noexcept {
  return static_cast<std::uint32_t>(base::mulhi(base::mix64(++draws_), bound));
}

}  // namespace crivo::experiments
