// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "structures/consensus/boundaries.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/consensus/walk.hpp"
#include "structures/phast/shape.hpp"
#include "structures/rank_runs.hpp"

namespace crivo::consensus {
namespace {

class ConsensusFunction final : public mphf::Function {
 public:
  explicit ConsensusFunction(base::ByteView section) {
    base::FieldReader reader(section, "mphf section");
    size_ = reader.u64();
    if (size_ > kMaxKeys) reader.fail("the number of keys is out of range");
    read_shape(reader);
    spacing_ = {shape_.log_keys, partition_bits(size_)};
    trees_ = Trees(shape_, section);
    // After any tree stands the table, so that a window's last bytes can be read.
    const std::uint64_t table_bytes = kPartEntryBytes << spacing_.partition_bits;
    if (reader.remaining() < table_bytes) reader.fail("it ends before its table");
    base::FieldReader table(section.last(table_bytes), "mphf section");
    const std::uint64_t begin = reader.position();
    reader = base::FieldReader(section.first(section.size() - table_bytes), "mphf section");
    reader.take(begin);
    read_parts(reader, table);
    if (in_buckets_ > size_) reader.fail("its parts disagree on the number of keys");
    if (in_buckets_ != size_) {
      rest_ = phast::open_phast(reader.take(reader.remaining()));
      if (rest_->size() != size_ - in_buckets_)
        reader.fail("its parts disagree on the number of keys");
    }
    reader.expect_end();
  }

  std::uint64_t size() const noexcept override { return size_; }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    const Partition& part = part_of(hash);
    const std::uint64_t index = bucket_of(part, hash);
    if (index == part.boundaries.buckets()) return rest_rank(hash);
    const Bucket bucket = bucket_at(part, index);
    trees_.prefetch(bucket.tree);
    __builtin_prefetch(bucket.columns);
    __builtin_prefetch(bucket.columns + 64);
    const std::uint64_t material = consensus::material(hash, part.salt);
    return bucket.rank(trees_.pair(bucket.tree, material), material);
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

  /// A hash partition, in one line of the cache.
  struct alignas(64) Partition {
    Boundaries boundaries;
    std::uint64_t first_rank = 0;
    unsigned salt = 0;
  };
  static_assert(sizeof(Partition) == 64);

  void read_shape(base::FieldReader& reader) {
    shape_.log_keys = reader.u8();
    reader.zeros(1);
    if (shape_.log_keys < kMinLogKeys || shape_.log_keys > kMaxLogKeys) {
      reader.fail("the size of buckets is out of range");
    }
    for (unsigned level = 0; level < shape_.levels(); ++level) {
      shape_.areas[level] = reader.u16();
      if (shape_.areas[level] > kWindowBits << level)
        reader.fail("the bits of a level are out of range");
    }
    reader.align(8);
    if (shape_.tree_bits() % 8 != 0 || !shape_.has_whole_windows()) {
      reader.fail("the bits of a level are out of range");
    }
  }

  void read_parts(base::FieldReader& reader, base::FieldReader& table) {
    parts_.resize(std::uint64_t{1} << spacing_.partition_bits);
    for (Partition& part : parts_) {
      Boundaries::Sizes sizes;
      for (std::size_t a = 1; a < sizes.anchors.size(); ++a) sizes.anchors[a] = table.u32();
      sizes.buckets = table.u16();
      sizes.exceptions = table.u16();
      part.salt = table.u8();
      const unsigned apart = table.u8();
      table.zeros(2);
      if (apart > 1) table.fail("a partition has no place");
      if (apart == 1) reader.skip_to(kPageBytes);
      if (sizes.buckets > shape_.max_buckets() || sizes.exceptions > sizes.buckets)
        table.fail("a partition's buckets are out of range");
      part.first_rank = in_buckets_;
      in_buckets_ += std::uint64_t{sizes.buckets} << shape_.log_keys;
      if (sizes.buckets == 0) continue;
      part.boundaries = Boundaries(sizes, reader);
      reader.take(column_bytes(sizes.buckets));
      reader.take(std::uint64_t{sizes.buckets} * trees_.bytes());
      reader.align(8);
    }
  }

  std::uint64_t column_bytes(std::uint64_t buckets) const noexcept {
    return (buckets << (shape_.log_keys - 4)) + kExtraColumnBytes;
  }
  const Partition& part_of(Hash128 hash) const noexcept {
    return parts_[base::top_bits(hash.hi, spacing_.partition_bits)];
  }
  std::uint64_t bucket_of(const Partition& part, Hash128 hash) const noexcept {
    return part.boundaries.buckets() == 0 ? 0 : part.boundaries.bucket(hash, spacing_);
  }
  /// The rank of a key that no bucket has.
  [[gnu::noinline]] std::uint64_t rest_rank(Hash128 hash) const noexcept {
    if (rest_ == nullptr) return size_ == 0 ? 0 : size_ - 1;
    return in_buckets_ + rest_->rank(rest_hash(hash));
  }

  /// Where a bucket's parts lie.
  struct Bucket {
    const std::byte* columns;
    const std::byte* tree;
    std::uint64_t first_rank;

    std::uint64_t rank(std::uint32_t pair, std::uint64_t material) const noexcept {
      const auto from_pair = base::load_le<std::uint64_t>(columns + pair / 8) >> (pair % 8);
      return first_rank + 2 * std::uint64_t{pair} + parity(from_pair & row(material));
    }
  };

  Bucket bucket_at(const Partition& part, std::uint64_t bucket) const noexcept {
    const std::byte* const columns = part.boundaries.end();
    return {columns + (bucket << (shape_.log_keys - 4)),
            columns + column_bytes(part.boundaries.buckets()) + bucket * trees_.bytes(),
            part.first_rank + (bucket << shape_.log_keys)};
  }

  /// The ranks of at most kBlock keys.
  void rank_block(std::span<const Hash128> block, std::uint64_t* ranks) const noexcept {
    Bucket buckets[kBlock];
    const std::byte* trees[kBlock];
    std::uint64_t materials[kBlock];
    std::uint32_t pairs[kBlock];
    std::uint8_t numbers[kBlock];
    std::size_t walking = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Hash128 hash = block[i];
      const Partition& part = part_of(hash);
      const std::uint64_t bucket = bucket_of(part, hash);
      if (bucket == part.boundaries.buckets()) {
        ranks[i] = rest_rank(hash);
        continue;
      }
      buckets[walking] = bucket_at(part, bucket);
      trees[walking] = buckets[walking].tree;
      trees_.prefetch(trees[walking]);
      materials[walking] = material(hash, part.salt);
      numbers[walking++] = static_cast<std::uint8_t>(i);
    }
    trees_.pairs(trees, materials, walking, pairs);
    for (std::size_t i = 0; i < walking; ++i) {
      ranks[numbers[i]] = buckets[i].rank(pairs[i], materials[i]);
    }
  }

  std::uint64_t size_ = 0;
  Shape shape_;
  Spacing spacing_;
  Trees trees_;
  std::vector<Partition> parts_;                ///< of each partition
  std::uint64_t in_buckets_ = 0;                ///< so many keys
  std::unique_ptr<const mphf::Function> rest_;  ///< of the others
};

}  // namespace

std::unique_ptr<const mphf::Function> open(base::ByteView section) {
  return std::make_unique<ConsensusFunction>(section);
}

}  // namespace crivo::consensus
