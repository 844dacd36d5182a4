// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/bits/elias_fano.hpp"
#include "structures/bits/packed.hpp"
#include "structures/phast/batch.hpp"
#include "structures/phast/shape.hpp"
#include "structures/phast/small_set.hpp"

namespace crivo::phast {
namespace {

/// A level, with the values that it gives to no key.
class Level {
 public:
  Level(base::FieldReader& reader, std::uint64_t keys, unsigned seed_bits) {
    LevelShape shape;
    shape.keys = keys;
    shape.buckets = reader.u32();
    shape.slice_bits = reader.u8();
    shape.partition_bits = reader.u8();
    reader.zeros(2);
    if (shape.buckets == 0 || shape.buckets > kMaxBuckets || shape.buckets % 8 != 0) {
      reader.fail("a level's number of buckets is out of range");
    }
    if (shape.partition_bits > kMaxPartitionBits) {
      reader.fail("a level's number of partitions is out of range");
    }
    if (shape.slice_bits > kMaxSliceBits) {
      reader.fail("a level's slice length is out of range");
    }
    const std::uint64_t bits = shape.total_buckets() * seed_bits;
    level_.buckets = shape.total_buckets();
    level_.set_seeds(reader.take(bits / 8).data(), seed_bits);
    level_.spread_shift = 16 - shape.slice_bits;
    level_.keys = keys;
    shape_ = shape;
    reader.zeros(bits::padded_bytes(bits) - bits / 8);
    holes_ = bits::EliasFano(reader, keys);
  }

  const detail::PhastLevel& operator*() const noexcept { return level_; }
  const detail::PhastLevel* operator->() const noexcept { return &level_; }
  const bits::EliasFano& holes() const noexcept { return holes_; }
  const LevelShape& shape() const noexcept { return shape_; }

 private:
  LevelShape shape_;
  detail::PhastLevel level_;
  bits::EliasFano holes_;
};

class PhastFunction final : public mphf::Function {
 public:
  explicit PhastFunction(const base::CheckedBytes& section) : pages_(section.checks) {
    base::FieldReader reader(section, "mphf section");
    size_ = reader.u64();
    const unsigned seed_bits = reader.u8();
    reader.zeros(7);
    if (size_ > kMaxKeys) reader.fail("the number of keys is out of range");
    if (seed_bits < kMinSeedBits || seed_bits > kMaxSeedBits) {
      reader.fail("the seed width is out of range");
    }
    std::uint64_t keys = size_;
    while (takes_level(keys, levels_.size())) {
      if (levels_.size() == kMaxLevels) reader.fail("has too many levels");
      levels_.emplace_back(reader, keys, seed_bits);
      keys = levels_.back().holes().size();
    }
    if (keys != 0) rest_ = SmallSet(reader, keys);
    reader.expect_end();
    if (levels_.empty()) return;
    first_ = *levels_.front();
    batch_ = phast_batch(first_, base::cpu());
  }

  std::uint64_t size() const noexcept override { return size_; }

  const detail::PhastLevel& first_level() const noexcept override { return first_; }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    const std::uint64_t place = first_.seed_place(hash.hi);
    touch_seed(first_, place);
    const std::uint32_t seed = first_.seed(place);
    return seed != 0 ? first_.value(hash.hi, seed) : rank_of_bumped(hash);
  }

  std::uint64_t bumped_rank(Hash128 hash) const noexcept override { return rank_of_bumped(hash); }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    if (levels_.empty()) {
      for (const Hash128& hash : hashes) *ranks++ = rank(hash);
      return;
    }
    std::uint64_t halves[kPhastBatch];
    std::uint16_t bumped[kPhastBatch];
    while (!hashes.empty()) {
      const auto block = hashes.first(std::min(hashes.size(), kPhastBatch));
      std::transform(block.begin(), block.end(), halves, [](Hash128 hash) { return hash.hi; });
      touch_seeds(std::span(halves).first(block.size()));
      const std::size_t count =
          batch_(first_, std::span(halves).first(block.size()), ranks, bumped);
      const auto hash_of = [&](std::size_t i) { return block[i]; };
      bumped_ranks(std::span(bumped).first(count), hash_of, ranks);
      hashes = hashes.subspan(block.size());
      ranks += block.size();
    }
  }

  void ranks_by_halves(std::span<const std::uint64_t> halves, const mphf::SecondHalves& second,
                       std::uint64_t* ranks) const noexcept override {
    if (levels_.empty()) return Function::ranks_by_halves(halves, second, ranks);
    std::uint16_t bumped[kPhastBatch];
    for (std::size_t begin = 0; begin < halves.size(); begin += kPhastBatch) {
      const auto block = halves.subspan(begin, std::min(halves.size() - begin, kPhastBatch));
      touch_seeds(block);
      const std::size_t count = batch_(first_, block, ranks + begin, bumped);
      const auto hash_of = [&](std::size_t i) { return Hash128{block[i], second(begin + i)}; };
      bumped_ranks(std::span(bumped).first(count), hash_of, ranks + begin);
    }
  }

 private:
  /// Touches the bytes that PhastLevel::seed() loads.
  void touch_seed(const detail::PhastLevel& level, std::uint64_t place) const noexcept {
    if (level.buckets != 0) pages_.touch(level.seeds + place / 8, sizeof(std::uint32_t));
  }
  /// Touches the seeds of the first level, before a batch.
  void touch_seeds(std::span<const std::uint64_t> halves) const noexcept {
    if (!pages_.are_checked()) return;
    for (const std::uint64_t half : halves) touch_seed(first_, first_.seed_place(half));
  }

  std::uint64_t rank_of_bumped(Hash128 hash) const noexcept {
    if (levels_.empty()) return rest_.rank(hash);
    return levels_.front().holes()[rank_in_level(1, next_level(hash, 1))];
  }

  /// The value on a level of the hash that it has there.
  std::uint64_t rank_in_level(std::size_t level, Hash128 hash) const noexcept {
    std::uint64_t value = 0;
    std::size_t at = level;
    while (true) {
      if (at == levels_.size()) {
        value = rest_.rank(hash);
        break;
      }
      const detail::PhastLevel& here = *levels_[at];
      const std::uint64_t place = here.seed_place(hash.hi);
      touch_seed(here, place);
      const std::uint32_t seed = here.seed(place);
      if (seed != 0) {
        value = here.value(hash.hi, seed);
        break;
      }
      hash = next_level(hash, static_cast<unsigned>(++at));
    }
    while (at > level) value = levels_[--at].holes()[value];
    return value;
  }

  /// ranks[i] = rank(hash_of(i)) for the bumped i. Each takes a chain of four cache misses, which
  /// are overlapped link by link.
  template <typename HashOf>
  void bumped_ranks(std::span<const std::uint16_t> bumped, const HashOf& hash_of,
                    std::uint64_t* ranks) const noexcept {
    constexpr std::size_t kGroup = 32;
    const bits::EliasFano& holes = levels_.front().holes();
    const detail::PhastLevel second = levels_.size() > 1 ? *levels_[1] : detail::PhastLevel();
    Hash128 next[kGroup];
    std::uint64_t numbers[kGroup];
    while (!bumped.empty()) {
      const auto group = bumped.first(std::min(bumped.size(), kGroup));
      for (std::size_t i = 0; i < group.size(); ++i) {
        next[i] = next_level(hash_of(group[i]), 1);
        numbers[i] = second.seed_place(next[i].hi);
        second.prefetch(numbers[i]);
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        touch_seed(second, numbers[i]);
        const std::uint32_t seed = second.seed(numbers[i]);
        numbers[i] = seed != 0 ? second.value(next[i].hi, seed) : rank_in_level(1, next[i]);
        holes.prefetch(numbers[i]);
      }
      for (std::size_t i = 0; i < group.size(); ++i) holes.prefetch_high(numbers[i]);
      for (std::size_t i = 0; i < group.size(); ++i) ranks[group[i]] = holes[numbers[i]];
      bumped = bumped.subspan(group.size());
    }
  }

  base::Pages pages_;
  std::uint64_t size_ = 0;
  std::vector<Level> levels_;
  detail::PhastLevel first_;  ///< levels_[0], one load nearer; without buckets if there is none
  PhastBatch batch_ = nullptr;
  SmallSet rest_;
};

}  // namespace

std::unique_ptr<const mphf::Function> open_phast(const base::CheckedBytes& section) {
  return std::make_unique<PhastFunction>(section);
}

}  // namespace crivo::phast
