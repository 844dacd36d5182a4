#include <algorithm>
#include <optional>
#include <vector>

#include "crivo/error.hpp"
#include "mphf/elias_fano.hpp"
#include "mphf/packed.hpp"
#include "mphf/phast.hpp"
#include "mphf/phast_shape.hpp"
#include "mphf/small_set.hpp"
#include "util/bits.hpp"

namespace crivo::mphf {
namespace {

/// One level's arrays. No field of them is trusted: a place in an array follows from the shape
/// alone, and what comes out is clamped.
class Level {
 public:
  Level(file::FieldReader& reader, std::uint64_t keys, unsigned seed_bits)
      : seed_bits_(seed_bits), seed_mask_((1U << seed_bits) - 1), last_(keys - 1) {
    LevelShape shape;
    shape.keys = keys;
    shape.buckets = reader.u32();
    shape.slice_length = reader.u16();
    shape.partition_bits = reader.u8();
    reader.zeros(1);
    if (shape.buckets == 0 || shape.buckets > kMaxBuckets || shape.buckets % 8 != 0) {
      reader.fail("a level's number of buckets is out of range");
    }
    if (shape.partition_bits > kMaxPartitionBits) {
      reader.fail("a level's number of partitions is out of range");
    }
    total_buckets_ = shape.total_buckets();
    partitions_ = shape.partitions();
    slice_length_ = shape.slice_length;
    lead_ = shape.lead();
    offsets_ = reader.take((partitions_ + 1) * 8).data();
    if (offset(0) != 0 || offset(partitions_) != keys) {
      reader.fail("a level's partitions do not hold its keys");
    }
    const std::uint64_t bits = total_buckets_ * seed_bits;
    seeds_ = reader.take(bits / 8).data();
    reader.zeros(padded_bytes(bits) - bits / 8);
    holes_ = EliasFano(reader, keys);
  }

  const EliasFano& holes() const noexcept { return holes_; }

  /// The bit at which the seed of the bucket of `hash` begins.
  std::uint64_t seed_place(Hash128 hash) const noexcept {
    return util::mulhi(hash.hi, total_buckets_) * seed_bits_;
  }
  void prefetch(std::uint64_t place) const noexcept { __builtin_prefetch(seeds_ + place / 8); }
  std::uint32_t seed(std::uint64_t place) const noexcept {
    return (file::load_le<std::uint32_t>(seeds_ + place / 8) >> (place % 8)) & seed_mask_;
  }
  /// The value, below the level's number of keys, that a seed other than 0 gives to `hash`.
  std::uint64_t value(Hash128 hash, std::uint32_t seed) const noexcept {
    // The high half is the partition, the low half the place in it.
    const unsigned __int128 split = static_cast<unsigned __int128>(hash.hi) * partitions_;
    const auto partition = static_cast<std::uint64_t>(split >> 64);
    const std::uint64_t first = offset(partition);
    const std::uint64_t size = offset(partition + 1) - first;
    const std::uint64_t slice =
        first + util::mulhi(static_cast<std::uint64_t>(split), size) - lead_;
    return std::min(slice + spread(hash.lo, seed, slice_length_) + seed % kShifts, last_);
  }

 private:
  std::uint64_t offset(std::uint64_t partition) const noexcept {
    return file::load_le<std::uint64_t>(offsets_ + partition * 8);
  }

  unsigned seed_bits_;
  std::uint32_t seed_mask_;
  std::uint64_t total_buckets_;
  const std::byte* seeds_;
  std::uint64_t partitions_;
  const std::byte* offsets_;
  std::uint64_t last_;  ///< the largest value
  std::uint32_t slice_length_;
  std::uint32_t lead_;
  EliasFano holes_;
};

class PhastFunction final : public Function {
 public:
  explicit PhastFunction(file::ByteView section) {
    file::FieldReader reader(section, "mphf section");
    size_ = reader.u64();
    const unsigned seed_bits = reader.u8();
    reader.zeros(7);
    if (size_ > kMaxKeys) reader.fail("the number of keys is out of range");
    if (seed_bits < kMinSeedBits || seed_bits > kMaxSeedBits) {
      reader.fail("the seed width is out of range");
    }
    std::uint64_t keys = size_;
    while (keys > kSmallSetKeys) {
      if (levels_.size() == kMaxLevels) reader.fail("has too many levels");
      levels_.emplace_back(reader, keys, seed_bits);
      keys = levels_.back().holes().size();
    }
    if (!levels_.empty()) first_ = levels_.front();
    if (keys != 0) rest_ = SmallSet(reader, keys);
    reader.expect_end();
  }

  std::uint64_t size() const noexcept override { return size_; }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    if (!first_) return rest_.rank(hash);
    const std::uint32_t seed = first_->seed(first_->seed_place(hash));
    return seed != 0 ? first_->value(hash, seed) : bumped_rank(hash);
  }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    if (!first_) {
      for (const Hash128& hash : hashes) *ranks++ = rest_.rank(hash);
      return;
    }
    const Level level = *first_;  // which the stores to `ranks` cannot change
    while (!hashes.empty()) {
      const auto block = hashes.first(std::min(hashes.size(), kBlock));
      std::uint64_t places[kBlock];
      for (std::size_t i = 0; i < block.size(); ++i) {
        places[i] = level.seed_place(block[i]);
        level.prefetch(places[i]);
      }
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::uint32_t seed = level.seed(places[i]);
        ranks[i] = seed != 0 ? level.value(block[i], seed) : bumped_rank(block[i]);
      }
      hashes = hashes.subspan(block.size());
      ranks += block.size();
    }
  }

 private:
  static constexpr std::size_t kBlock = 32;

  /// The rank of a key that level 0 bumps.
  [[gnu::noinline]] std::uint64_t bumped_rank(Hash128 hash) const noexcept {
    unsigned level = 1;
    std::uint64_t value = 0;
    for (;; ++level) {
      hash = next_level(hash, level);
      if (level == levels_.size()) {
        value = rest_.rank(hash);
        break;
      }
      const std::uint32_t seed = levels_[level].seed(levels_[level].seed_place(hash));
      if (seed != 0) {
        value = levels_[level].value(hash, seed);
        break;
      }
    }
    while (level > 0) value = levels_[--level].holes()[value];
    return value;
  }

  std::uint64_t size_ = 0;
  std::vector<Level> levels_;
  std::optional<Level> first_;  ///< levels_[0], one load nearer
  SmallSet rest_;
};

}  // namespace

std::unique_ptr<const Function> open_phast(file::ByteView section) {
  return std::make_unique<PhastFunction>(section);
}

}  // namespace crivo::mphf
