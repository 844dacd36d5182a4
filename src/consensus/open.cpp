#include <algorithm>
#include <array>

#include "consensus/boundaries.hpp"
#include "consensus/consensus.hpp"
#include "consensus/segment.hpp"
#include "consensus/walk.hpp"
#include "mphf/phast.hpp"

namespace crivo::consensus {
namespace {

class ConsensusFunction final : public mphf::Function {
 public:
  explicit ConsensusFunction(file::ByteView section) {
    file::FieldReader reader(section, "mphf section");
    size_ = reader.u64();
    if (size_ > kMaxKeys) reader.fail("the number of keys is out of range");
    read_shape(reader);
    const std::uint64_t rest = size_ & (shape_.keys() - 1);
    if (buckets_ != 0) read_buckets(reader);
    if (rest != 0) {
      rest_ = mphf::open_phast(reader.take(reader.remaining()));
      if (rest_->size() != rest) reader.fail("its parts disagree on the number of keys");
    }
    reader.expect_end();
  }

  std::uint64_t size() const noexcept override { return size_; }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    if (spread_ != 0) hash = spread_hash(hash, spread_);
    const std::uint64_t bucket = bucket_of(hash);
    if (bucket == buckets_) return rest_rank(hash);
    const std::uint64_t material = material_of(hash, bucket);
    return rank_in_pair(bucket, trees_.pair(bucket, material), material);
  }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    while (!hashes.empty()) {
      const auto block = hashes.first(std::min(hashes.size(), kBlock));
      rank_block(block, ranks);
      hashes = hashes.subspan(block.size());
      ranks += block.size();
    }
  }

 private:
  static constexpr std::size_t kBlock = 32;

  void read_shape(file::FieldReader& reader) {
    shape_.log_keys = reader.u8();
    spread_ = reader.u8();
    if (shape_.log_keys < kMinLogKeys || shape_.log_keys > kMaxLogKeys) {
      reader.fail("the size of buckets is out of range");
    }
    for (unsigned level = 0; level < shape_.levels(); ++level) {
      shape_.areas[level] = reader.u16();
      if (shape_.areas[level] > kWindowBits << level)
        reader.fail("the bits of a level are out of range");
    }
    reader.align(8);
    if (shape_.tree_bits() % 8 != 0) {
      reader.fail("the bits of a level are out of range");
    }
    buckets_ = size_ >> shape_.log_keys;
  }

  void read_buckets(file::FieldReader& reader) {
    boundaries_ = Boundaries(reader, size_, shape_.log_keys);
    const std::uint64_t segment_buckets = std::uint64_t{1} << shape_.buckets_a_segment_log();
    const std::uint64_t segments = util::div_ceil(buckets_, segment_buckets);
    columns_ =
        reader.take((buckets_ << (shape_.log_keys - 4)) + segments * kExtraColumnBytes).data();
    salts_ = reader.take(segments).data();
    reader.align(8);
    const std::uint64_t bytes = buckets_ * (shape_.tree_bits() / 8);
    trees_ = Trees(shape_, reader.take(bytes));
    reader.zeros(7);
    reader.align(8);
  }

  std::uint64_t bucket_of(Hash128 hash) const noexcept {
    return buckets_ == 0 ? 0 : boundaries_.bucket(hash);
  }

  /// Of a key after the last bucket.
  [[gnu::noinline]] std::uint64_t rest_rank(Hash128 hash) const noexcept {
    if (rest_ == nullptr) return size_ == 0 ? 0 : size_ - 1;
    return (buckets_ << shape_.log_keys) + rest_->rank(hash);
  }

  std::uint64_t material_of(Hash128 hash, std::uint64_t bucket) const noexcept {
    return material(hash, static_cast<unsigned>(salts_[bucket >> shape_.buckets_a_segment_log()]));
  }

  const std::byte* columns_of(std::uint64_t bucket) const noexcept {
    const std::uint64_t segment = bucket >> shape_.buckets_a_segment_log();
    return columns_ + segment * kExtraColumnBytes + (bucket << (shape_.log_keys - 4));
  }

  std::uint64_t rank_in_pair(std::uint64_t bucket, std::uint32_t pair,
                             std::uint64_t material) const noexcept {
    const std::uint64_t columns =
        file::load_le<std::uint64_t>(columns_of(bucket) + pair / 8) >> (pair % 8);
    return (bucket << shape_.log_keys) + 2 * std::uint64_t{pair} + parity(columns & row(material));
  }

  /// Of at most kBlock keys.
  void rank_block(std::span<const Hash128> block, std::uint64_t* ranks) const noexcept {
    std::uint64_t buckets[kBlock];
    std::uint64_t materials[kBlock];
    std::uint32_t pairs[kBlock];
    std::uint8_t numbers[kBlock];
    std::size_t walking = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Hash128 hash = block[i];
      if (spread_ != 0) hash = spread_hash(hash, spread_);
      const std::uint64_t bucket = bucket_of(hash);
      if (bucket == buckets_) {
        ranks[i] = rest_rank(hash);
        continue;
      }
      trees_.prefetch(bucket);
      buckets[walking] = bucket;
      materials[walking] = material_of(hash, bucket);
      numbers[walking++] = static_cast<std::uint8_t>(i);
    }
    trees_.pairs(buckets, materials, walking, pairs);
    for (std::size_t i = 0; i < walking; ++i) {
      ranks[numbers[i]] = rank_in_pair(buckets[i], pairs[i], materials[i]);
    }
  }

  std::uint64_t size_ = 0;
  unsigned spread_ = 0;
  Shape shape_;
  std::uint64_t buckets_ = 0;  ///< of k keys
  Boundaries boundaries_;
  const std::byte* columns_ = nullptr;
  const std::byte* salts_ = nullptr;
  Trees trees_;
  std::unique_ptr<const mphf::Function> rest_;  ///< of the keys after the last bucket
};

}  // namespace

std::unique_ptr<const mphf::Function> open(file::ByteView section) {
  return std::make_unique<ConsensusFunction>(section);
}

}  // namespace crivo::consensus
