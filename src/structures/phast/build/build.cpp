// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/idle_pool.hpp"
#include "base/spool.hpp"
#include "crivo/error.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/bits/elias_fano.hpp"
#include "structures/bits/packed.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/signatures.hpp"
#include "structures/phast/build/parameters.hpp"
#include "structures/phast/build/partition_builder.hpp"
#include "structures/phast/shape.hpp"
#include "structures/phast/small_set.hpp"
#include "structures/signatures.hpp"

namespace crivo::phast {
namespace {

/// The keys that a level leaves to the next one. A lease throws stream::RepeatedHashes if two are
/// equal.
using BumpedHashes = stream::GatheredKeys<Hash128>;

constexpr std::uint64_t kHeadBytes = 16;      ///< of the section
constexpr std::uint64_t kLevelHeadBytes = 8;  ///< of a level

/// One level. The body of a part is its seeds; its notes, the holes and the hashes that it bumps.
class LevelAssembly final : public Assembly {
 public:
  LevelAssembly(const Parameters& parameters, std::uint64_t keys, unsigned level,
                const mphf::PartContents& contents)
      : seed_bits_(parameters.seed_bits),
        contents_(contents),
        level_(level),
        shape_(level_shape(parameters, keys)),
        builders_([this, parameters] {
          return std::make_unique<PartitionBuilder>(parameters, shape_);
        }) {}

  unsigned partition_bits() const noexcept override { return shape_.partition_bits; }
  stream::PartCost cost() const noexcept override {
    return {takes_slices() ? PartitionBuilder::kSlicedBytes : PartitionBuilder::kBuildBytes,
            PartitionBuilder::kResultBytes + contents_.key_bytes()};
  }

  Part build_part(unsigned, std::uint64_t index, const stream::KeySlice& keys) const override {
    const auto builder = builders_.take();
    Part part = part_of(builder->build(index, keys.hashes));
    if (contents_.any()) {
      mphf::put_contents(contents_, shape_.partition_bits, index, keys.hashes,
                         {builder->values(), builder->ranks(keys.size())}, part);
    }
    return part;
  }

  /// Contents are put together of all keys at once.
  bool takes_slices() const noexcept override { return !contents_.any(); }
  Part build_sliced_part(std::uint64_t index, const stream::SlicedPartition& keys) const override {
    const auto builder = builders_.take();
    builder->begin(index, keys.size());
    keys.for_each([&](const stream::KeySlice& some) { builder->add(some.hashes); });
    return part_of(builder->finish());
  }

  void begin(const base::BuildContext& context, base::Sink& sink) override {
    base::FieldWriter head;
    head.u32(shape_.buckets).u8(static_cast<std::uint8_t>(shape_.slice_bits));
    head.u8(static_cast<std::uint8_t>(shape_.partition_bits)).zeros(2);
    sink.append(head.view());
    const std::uint64_t expected = shape_.keys / 64;
    holes_ = std::make_unique<base::Spool>(context.scratch);
    bumped_ = std::make_unique<BumpedHashes>(expected, context.scratch);
  }

  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of an mphf");
    const std::uint64_t first = shape_.first_value(joined_);
    const std::uint64_t values = shape_.first_value(++joined_) - first;
    if (part.body.size() != body_bytes()) notes.fail("has not the seeds of a partition");
    sink.append(part.body);
    const std::uint64_t holes = notes.u64();
    const std::uint64_t bumped = notes.u64();
    std::uint64_t next = 0;
    base::FieldWriter places;
    for (std::uint64_t i = 0; i < holes; ++i) {
      const std::uint64_t hole = notes.u32();
      if (hole < next || hole >= values) notes.fail("it has holes outside all partitions");
      places.u64(first + hole);
      next = hole + 1;
    }
    holes_->append(places.view());
    for (std::uint64_t i = 0; i < bumped; ++i) {
      const std::uint64_t hi = notes.u64();
      bumped_->writer(0).add(next_level({hi, notes.u64()}, level_ + 1));
    }
    bumped_count_ += bumped;
    notes.expect_end();
  }

  void finish(const base::BuildContext&, base::Sink& sink) override {
    builders_.clear();
    const std::uint64_t holes = holes_->size() / sizeof(std::uint64_t);
    if (bumped_count_ != holes) {
      throw Error(ErrorKind::corrupt, "parts of an mphf: bump more or fewer keys than have holes");
    }
    // A bumped key has a hole to be listed and a place in another level: four times the bits.
    check_growth(shape_.keys, static_cast<double>(shape_.keys + 4 * bumped_count_),
                 static_cast<double>(shape_.keys));
    const std::uint64_t seed_bits = shape_.total_buckets() * seed_bits_;
    sink.append(base::FieldWriter().zeros(bits::padded_bytes(seed_bits) - seed_bits / 8).view());
    bits::EliasFano::write(
        holes,
        [&](const auto& use) {
          holes_->for_each([&](base::ByteView some) {
            for (std::size_t at = 0; at != some.size(); at += sizeof(std::uint64_t))
              use(base::load_le<std::uint64_t>(some.data() + at));
          });
        },
        shape_.keys, sink);
    holes_.reset();
    bumped_->finish();
  }

  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return (kLevelHeadBytes + partition * body_bytes()) % kPageBytes;
  }

  /// Those that were bumped, with their hashes of the next level, once it is finished.
  const BumpedHashes& bumped() const noexcept { return *bumped_; }

 private:
  static Part part_of(PartitionResult result) {
    base::FieldWriter notes;
    notes.u64(result.holes.size()).u64(result.bumped.size());
    for (const std::uint32_t hole : result.holes) notes.u32(hole);
    for (const Hash128& hash : result.bumped) notes.u64(hash.hi).u64(hash.lo);
    return {std::move(result.seeds), notes.take()};
  }
  std::uint64_t body_bytes() const noexcept {
    return std::uint64_t{shape_.buckets} / 8 * seed_bits_;
  }

  unsigned seed_bits_;
  mphf::PartContents contents_;
  unsigned level_;
  LevelShape shape_;
  mutable base::IdlePool<PartitionBuilder> builders_;
  std::uint64_t joined_ = 0;            ///< partitions
  std::unique_ptr<base::Spool> holes_;  ///< in order, a u64 each
  std::uint64_t bumped_count_ = 0;
  std::unique_ptr<BumpedHashes> bumped_;
};

/// Writes the levels from 1 on.
void write_bumped(const Parameters& parameters, const BumpedHashes& first,
                  const base::BuildContext& whole, base::Sink& sink) try {
  base::Progress silent;
  const base::BuildContext context{whole.threads, silent, whole.scratch};
  std::unique_ptr<LevelAssembly> last;
  const BumpedHashes* rest = &first;
  for (unsigned level = 1; takes_level(rest->keys().size(), level); ++level) {
    if (level == kMaxLevels) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: " + std::to_string(rest->keys().size()) +
                      " keys collide at every level; try another seed",
                  {.remedy = "keyed_hash"});
    }
    auto next = std::make_unique<LevelAssembly>(parameters, rest->keys().size(), level,
                                                mphf::PartContents());
    build(*next, rest->keys(), context, sink);
    last = std::move(next);
    rest = &last->bumped();
  }
  if (rest->keys().size() != 0) SmallSet::write(rest->keys().whole(context).hashes, sink);
} catch (const stream::RepeatedHashes&) {  // which distinct hashes do not become
  mphf::fail_equal_hashes();
}

/// Builds from more than kSmallSetKeys keys: parts of its first level.
class PhastAssembly final : public mphf::FunctionAssembly {
 public:
  PhastAssembly(const Parameters& parameters, std::uint64_t n, const mphf::PartContents& contents)
      : parameters_(parameters), n_(n), first_(parameters, n, 0, contents) {}

  unsigned partition_bits() const noexcept override { return first_.partition_bits(); }
  stream::PartCost cost() const noexcept override { return first_.cost(); }
  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    return first_.build_part(bits, index, keys);
  }
  bool takes_slices() const noexcept override { return first_.takes_slices(); }
  Part build_sliced_part(std::uint64_t index, const stream::SlicedPartition& keys) const override {
    return first_.build_sliced_part(index, keys);
  }
  void begin(const base::BuildContext& context, base::Sink& sink) override {
    sink.append(encode_head(parameters_, n_));
    first_.begin(context, sink);
  }
  void join(const PartView& part, base::Sink& sink) override { first_.join(part, sink); }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return (kHeadBytes + first_.place_in_page(partition)) % kPageBytes;
  }
  void finish(const base::BuildContext& context, base::Sink& sink) override {
    first_.finish(context, sink);
    write_bumped(parameters_, first_.bumped(), context, sink);
  }

  /// Those of level 1, with the hashes that they had before.
  mphf::BumpedKeys bumped() const override {
    return {&first_.bumped().keys(), [](Hash128 hash) { return previous_level(hash, 1); }, 0};
  }

  static base::Bytes encode_head(const Parameters& parameters, std::uint64_t n) {
    base::FieldWriter head;
    return head.u64(n).u8(static_cast<std::uint8_t>(parameters.seed_bits)).zeros(7).take();
  }

 private:
  Parameters parameters_;
  std::uint64_t n_;
  LevelAssembly first_;
};

/// Builds from fewer: one part, which is the small set.
class SmallAssembly final : public mphf::FunctionAssembly {
 public:
  SmallAssembly(const Parameters& parameters, std::uint64_t n, const mphf::PartContents& contents)
      : parameters_(parameters), n_(n), contents_(contents) {}

  unsigned partition_bits() const noexcept override { return 0; }
  stream::PartCost cost() const noexcept override { return {}; }
  Part build_part(unsigned, std::uint64_t, const stream::KeySlice& keys) const override {
    base::MemorySink set;
    if (keys.size() != 0) SmallSet::write(keys.hashes, set);
    Part part{set.take(), {}};
    if (!contents_.any()) return part;
    base::FieldReader reader(part.body, "mphf section");
    const SmallSet values = keys.size() == 0 ? SmallSet() : SmallSet(reader, keys.size());
    std::vector<std::uint32_t> ranks;
    for (const Hash128& hash : keys.hashes) {
      ranks.push_back(static_cast<std::uint32_t>(values.rank(hash)));
    }
    mphf::put_contents(contents_, 0, 0, keys.hashes, {keys.size(), std::move(ranks)}, part);
    return part;
  }
  void begin(const base::BuildContext&, base::Sink& sink) override {
    sink.append(PhastAssembly::encode_head(parameters_, n_));
  }
  void join(const PartView& part, base::Sink& sink) override { sink.append(part.body); }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return kHeadBytes; }
  void finish(const base::BuildContext&, base::Sink&) override {}

 private:
  Parameters parameters_;
  std::uint64_t n_;
  mphf::PartContents contents_;
};

}  // namespace

std::unique_ptr<mphf::FunctionAssembly> plan_phast(const Parameters& parameters, std::uint64_t n,
                                                   const mphf::PartContents& contents) {
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^40 keys; split them into shards");
  if (!takes_level(n, 0)) return std::make_unique<SmallAssembly>(parameters, n, contents);
  return std::make_unique<PhastAssembly>(parameters, n, contents);
}

}  // namespace crivo::phast
