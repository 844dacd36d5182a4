#include "records/size_estimate.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>

#include "records/block.hpp"
#include "records/zstd_blocks.hpp"
#include "records/group.hpp"

namespace crivo::records {

namespace {

constexpr std::uint64_t kMostKept = 2 * kDictionarySample;
// Of a longer record the front tells how the rest compresses.
constexpr std::size_t kLongest = std::size_t{64} << 10;

// Of LMDB's pages: the header, and what an entry of a leaf takes whose value is in pages of its
// own: its offset, its header, an 8-byte key and the number of the first of those pages.
constexpr std::uint64_t kLmdbPageHeader = 16;
constexpr std::uint64_t kLeafEntry = 2 + 8 + 8 + 8;
constexpr std::uint64_t kLmdbMetaPages = 2;

/// Records in blocks, cut as EnvironmentWriter cuts them.
struct RawBlocks {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;
  std::vector<std::uint32_t> records;
  std::vector<std::size_t> cut;  // the bytes that are not there; only of a block of one record

  void add(std::string_view key, std::string_view record, std::size_t cut_bytes) {
    if (sizes.empty() || sizes.back() + raw_record_size(key, record) > kBlockTarget) {
      sizes.push_back(0);
      records.push_back(0);
      cut.push_back(cut_bytes);
    }
    append_raw_record(bytes, key, record);
    sizes.back() += raw_record_size(key, record);
    ++records.back();
  }
};

/// The pages that groups take, those of the tree's leaves left out.
class GroupPages {
 public:
  explicit GroupPages(std::uint64_t page_size) : page_size_(page_size) {}

  void add(const StoredBlock& block) {
    if (!group_.empty() && !group_.fits(block)) close();
    group_.add(block, 0);
  }
  void close() {
    if (group_.empty()) return;
    pages_ += (kLmdbPageHeader + group_.finish(0).size() - 1) / page_size_ + 1;
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

/// The dictionary that the blocks of the first records give.
base::Bytes dictionary_of(const RawBlocks& blocks) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < blocks.sizes.size() && bytes < kDictionarySample) bytes += blocks.sizes[count++];
  return train_dictionary(base::ByteView(blocks.bytes).first(bytes),
                          std::span(blocks.sizes).first(count));
}

}  // namespace

void SizeEstimate::add(std::string_view key, std::string_view record) {
  check_limits(key, record);
  added_.fetch_add(key.size() + record.size(), std::memory_order_relaxed);
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
  RawBlocks blocks;
  std::uint64_t sampled = 0;  // of added_
  for (const Kept& kept : kept_) {
    blocks.add(kept.key, kept.record, kept.cut);
    sampled += kept.key.size() + kept.record.size() + kept.cut;
  }
  kept_ = {};

  const base::Bytes dictionary_bytes = dictionary_of(blocks);
  const CompressionDictionary dictionary(dictionary_bytes);
  BlockCompressor compressor(dictionary);
  GroupPages groups(page_size);
  base::Bytes stored;
  base::ByteView rest = blocks.bytes;
  for (std::size_t i = 0; i < blocks.sizes.size(); ++i) {
    compressor.compress(rest.first(blocks.sizes[i]), stored);
    rest = rest.subspan(blocks.sizes[i]);
    // What was cut is taken to compress as the front does.
    stored.resize(stored.size() + stored.size() * blocks.cut[i] / blocks.sizes[i]);
    groups.add({.records = blocks.records[i],
                .raw_size = static_cast<std::uint32_t>(blocks.sizes[i]),
                .stored = stored});
  }
  groups.close();

  // Only equal keys, of which one is stored, can leave nothing kept.
  const double share =
      sampled == 0 ? 1 : static_cast<double>(added_) / static_cast<double>(sampled);
  const std::uint64_t leaf_entries = (page_size - kLmdbPageHeader) / kLeafEntry;
  const double leaves = static_cast<double>(groups.groups()) / static_cast<double>(leaf_entries);
  const double scaled = share * (static_cast<double>(groups.pages()) + leaves);
  return (kLmdbMetaPages + 1 + static_cast<std::uint64_t>(scaled)) * page_size +
         dictionary_bytes.size();
}

}  // namespace crivo::records
