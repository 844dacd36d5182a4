// SPDX-License-Identifier: Apache-2.0
#include "records/build/size_estimate.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/processor_time.hpp"
#include "records/backends/lmdb/build/group_builder.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/block.hpp"
#include "records/build/encoding.hpp"
#include "records/build/neighbour_encoder.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/record_sample.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

// LMDB's pages: the header, and the bytes of a leaf's entry whose value is in pages of its own: its
// offset, its header, an 8-byte key and the number of the first of those pages.
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

/// Encodes the blocks; their bytes.
std::uint64_t encode(const UnitSample& blocks, const RecordCoding& coding) {
  (void)encoded_bytes(blocks, *coding.open());
  return blocks.bytes.size();
}

}  // namespace

RecordEstimate estimate_records(const CodecRequest& request, std::span<const SampledRecord> sample,
                                std::uint64_t records, std::uint64_t bytes) {
  const auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  RecordEstimate estimate;
  const base::WorkClock training_clock;
  RecordSample training(request);
  for (const SampledRecord& some : sample) {
    if (training.is_full()) break;
    training.add(some.key, some.record);
  }
  RecordCoding coding = training.coding(records);
  std::vector<SampledRecord> in_order;
  NeighbourSample neighbours(sample.size());
  if (request.is_in_order()) {
    in_order.assign(sample.begin(), sample.end());
    std::ranges::sort(in_order, {}, &SampledRecord::key);
    for (const SampledRecord& some : in_order)
      if (neighbours.wants_next()) neighbours.add(some.record);
    choose_in_order(request, neighbours, records, coding);
    sample = in_order;
  }
  estimate.training_seconds = training_clock.undisturbed_seconds(1);
  const base::WorkClock encoding_clock;
  const std::uint64_t encoded = coding.type().by_record || !request.is_in_order()
                                    ? training.encode(coding)
                                    : encode(neighbours.blocks(), coding);
  if (encoded != 0) {
    estimate.encoding_seconds = encoding_clock.undisturbed_seconds(1) * static_cast<double>(bytes) /
                                static_cast<double>(encoded);
  }

  GroupPages groups(page_size);
  base::Bytes longer;
  RecordEncoder encoder(coding, 1, [&](std::span<const EncodedUnit> units) {
    for (const EncodedUnit& unit : units) {
      // A record that was cut is alone in its unit; the rest is taken to shrink as the front does.
      const SampledRecord& first = sample[unit.first_rank];
      longer.assign(unit.stored.begin(), unit.stored.end());
      longer.resize(longer.size() +
                    longer.size() * first.cut / (first.key.size() + first.record.size() + 1));
      groups.add({unit.first_rank, unit.records, longer});
    }
  });
  std::uint64_t sampled = 0;  // of `bytes`
  for (const SampledRecord& some : sample) {
    encoder.append({0, some.key, some.record});
    sampled += some.key.size() + some.record.size() + some.cut;
  }
  const std::uint64_t codec_bytes = encoder.finish().encode().size();
  groups.close();

  // Only equal keys, of which one is stored, can leave nothing kept.
  const double share = sampled == 0 ? 1 : static_cast<double>(bytes) / static_cast<double>(sampled);
  const std::uint64_t leaf_entries = (page_size - kLmdbPageHeader) / kLeafEntry;
  const double leaves = static_cast<double>(groups.groups()) / static_cast<double>(leaf_entries);
  const double scaled = share * (static_cast<double>(groups.pages()) + leaves);
  estimate.bytes =
      (kLmdbMetaPages + 1 + static_cast<std::uint64_t>(scaled)) * page_size + codec_bytes;
  return estimate;
}

}  // namespace crivo::records
