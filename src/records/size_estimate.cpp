// SPDX-License-Identifier: Apache-2.0
#include "records/size_estimate.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>

#include "records/block.hpp"
#include "records/group.hpp"
#include "records/record_encoder.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{16} << 20;
// Of a longer record the front tells how the rest compresses.
constexpr std::size_t kLongest = std::size_t{64} << 10;

// Of LMDB's pages: the header, and what an entry of a leaf takes whose value is in pages of its
// own: its offset, its header, an 8-byte key and the number of the first of those pages.
constexpr std::uint64_t kLmdbPageHeader = 16;
constexpr std::uint64_t kLeafEntry = 2 + 8 + 8 + 8;
constexpr std::uint64_t kLmdbMetaPages = 2;

/// The pages that groups take, those of the tree's leaves left out.
class GroupPages {
 public:
  explicit GroupPages(std::uint64_t page_size) : page_size_(page_size) {}

  void add(const EncodedUnit& unit) {
    if (!group_.empty() && !group_.fits(unit)) close();
    group_.add(unit);
  }
  void close() {
    if (group_.empty()) return;
    pages_ += (kLmdbPageHeader + group_.finish().size() - 1) / page_size_ + 1;
    ++groups_;
  }
  std::uint64_t pages() const noexcept { return pages_; }
  std::uint64_t groups() const noexcept { return groups_; }

 private:
  std::uint64_t page_size_;
  GroupBuilder group_;
  std::uint64_t pages_ = 0;
  std::uint64_t groups_ = 0;
};

}  // namespace

void SizeEstimate::add(std::string_view key, std::string_view record) {
  check_limits(key, record);
  added_.fetch_add(key.size() + record.size(), std::memory_order_relaxed);
  records_.fetch_add(1, std::memory_order_relaxed);
  const Hash128 hash = hash_key(key, 0);
  if (hash.hi > bound_.load(std::memory_order_relaxed)) return;
  const std::string_view front = record.substr(0, kLongest);
  const std::scoped_lock lock(mutex_);
  if (hash.hi > bound_) return;
  kept_.push_back({hash, std::string(key), std::string(front), record.size() - front.size()});
  kept_bytes_ += key.size() + front.size();
  while (kept_bytes_ > kMostKept) drop_upper_half();
}

void SizeEstimate::drop_upper_half() {
  const std::uint64_t bound = bound_ / 2;
  bound_ = bound;
  std::erase_if(kept_, [&](const Kept& kept) {
    if (kept.hash.hi <= bound) return false;
    kept_bytes_ -= kept.key.size() + kept.record.size();
    return true;
  });
}

std::uint64_t SizeEstimate::bytes() {
  const auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  // Ranks are as good as random: neighbours in a block are not those of the input.
  std::ranges::sort(kept_, {}, &Kept::hash);
  GroupPages groups(page_size);
  base::Bytes longer;
  RecordSample sample(request_);
  for (const Kept& kept : kept_) {
    if (!sample.is_full()) sample.add(kept.key, kept.record);
  }
  RecordEncoder encoder(sample.coding(records_), 1, [&](std::span<const EncodedUnit> units) {
    for (const EncodedUnit& unit : units) {
      // A record that was cut is alone in its unit; the rest is taken to shrink as the front does.
      const Kept& first = kept_[unit.first_rank];
      longer.assign(unit.stored.begin(), unit.stored.end());
      longer.resize(longer.size() +
                    longer.size() * first.cut / (first.key.size() + first.record.size() + 1));
      groups.add({unit.first_rank, unit.records, longer});
    }
  });
  std::uint64_t sampled = 0;  // of added_
  for (const Kept& kept : kept_) {
    encoder.append({0, kept.key, kept.record});
    sampled += kept.key.size() + kept.record.size() + kept.cut;
  }
  const std::uint64_t codec_bytes = encoder.finish().encode().size();
  groups.close();

  // Only equal keys, of which one is stored, can leave nothing kept.
  const double share =
      sampled == 0 ? 1 : static_cast<double>(added_) / static_cast<double>(sampled);
  const std::uint64_t leaf_entries = (page_size - kLmdbPageHeader) / kLeafEntry;
  const double leaves = static_cast<double>(groups.groups()) / static_cast<double>(leaf_entries);
  const double scaled = share * (static_cast<double>(groups.pages()) + leaves);
  return (kLmdbMetaPages + 1 + static_cast<std::uint64_t>(scaled)) * page_size + codec_bytes;
}

}  // namespace crivo::records
