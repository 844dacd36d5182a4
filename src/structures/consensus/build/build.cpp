// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/build/signatures.hpp"
#include "structures/consensus/build/part.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/phast/build/parameters.hpp"
#include "structures/phast/shape.hpp"
#include "structures/signatures.hpp"

namespace crivo::consensus {
namespace {

/// Bytes a key: a row and a value a pair, and the part; the part, and what is left over.
constexpr double kBuildBytes = 5;
constexpr double kPartBytes = 0.4;

base::Bytes encode_header(const Shape& shape, std::uint64_t n) {
  base::FieldWriter header;
  header.u64(n).u8(static_cast<std::uint8_t>(shape.log_keys)).zeros(1);
  for (unsigned level = 0; level < shape.levels(); ++level) header.u16(shape.areas[level]);
  return header.align(8).take();
}

base::Bytes encode_entry(const PartEntry& entry) {
  const Boundaries::Sizes& boundaries = entry.boundaries;
  base::FieldWriter fields;
  for (std::size_t a = 1; a < boundaries.anchors.size(); ++a) fields.u32(boundaries.anchors[a]);
  return fields.u16(boundaries.buckets).u16(boundaries.exceptions).u8(entry.salt).zeros(3).take();
}

/// The keys that no bucket has, by their hashes in the rest.
using Rest = stream::GatheredKeys<Hash128>;

/// Without the progress of the set that the keys are a part of.
void write_rest(const stream::HashSource& rest, const base::BuildContext& whole,
                base::Sink& sink) try {
  base::Progress silent;
  const auto function = phast::plan_phast(phast::fast_parameters(rest.size()), rest.size());
  crivo::build(*function, rest, {whole.threads, silent, whole.scratch}, sink);
} catch (const stream::RepeatedHashes&) {  // which distinct hashes do not become
  mphf::fail_equal_hashes();
}

/// The body of a part is that of its partition; its notes, the entry in the table and the hashes
/// that are left over.
class ConsensusAssembly final : public mphf::FunctionAssembly {
 public:
  ConsensusAssembly(const Parameters& parameters, std::uint64_t n,
                    const mphf::PartContents& contents)
      : shape_(parameters.shape),
        n_(n),
        contents_(contents),
        spacing_{parameters.shape.log_keys, consensus::partition_bits(n)},
        builders_(
            [this, parameters] { return std::make_unique<PartBuilder>(parameters, spacing_); }) {}

  unsigned partition_bits() const noexcept override { return spacing_.partition_bits; }
  stream::PartCost cost() const noexcept override {
    return {kBuildBytes, kPartBytes + contents_.key_bytes()};
  }

  crivo::Part build_part(unsigned, std::uint64_t index,
                         const stream::KeySlice& keys) const override {
    const auto builder = builders_.take();
    Part part = builder->build(keys.hashes);
    base::FieldWriter notes;
    notes.bytes(encode_entry(part.entry));
    for (const Hash128& hash : part.rest) notes.u64(hash.hi).u64(hash.lo);
    crivo::Part built{std::move(part.bytes), notes.take()};
    if (contents_.any()) {
      const std::uint64_t ranks = std::uint64_t{part.entry.boundaries.buckets} << shape_.log_keys;
      mphf::put_contents(contents_, spacing_.partition_bits, index, keys.hashes,
                         {ranks, builder->ranks(keys.hashes, part.entry)}, built);
    }
    return built;
  }

  void begin(const base::BuildContext& context, base::Sink& sink) override {
    sink.append(encode_header(shape_, n_));
    rest_ = std::make_unique<Rest>((shape_.keys() / 2) << spacing_.partition_bits, context.scratch);
  }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of an mphf");
    sink.append(part.body);
    const base::ByteView entry = notes.take(kPartEntryBytes);
    table_.bytes(entry.first(kApartAt)).u8(apart_ ? 1 : 0).bytes(entry.subspan(kApartAt + 1));
    apart_ = false;
    while (notes.remaining() != 0) {
      const std::uint64_t hi = notes.u64();
      rest_->writer(0).add(rest_hash({hi, notes.u64()}));
    }
  }
  void finish(const base::BuildContext& context, base::Sink& sink) override {
    const stream::HashSource& rest = rest_->finish();
    if (rest.size() != 0) write_rest(rest, context, sink);
    sink.append(table_.view());
  }
  mphf::BumpedKeys bumped() const override {
    const stream::HashSource& rest = rest_->keys();
    return {&rest, rest_hash, n_ - std::min(n_, rest.size())};
  }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return 0; }
  void begin_page(base::Sink& sink) override {
    sink.align(kPageBytes);
    apart_ = true;
  }

 private:
  Shape shape_;
  std::uint64_t n_;
  mphf::PartContents contents_;
  Spacing spacing_;
  mutable base::IdlePool<PartBuilder> builders_;
  bool apart_ = false;  ///< the next part's
  base::FieldWriter table_;
  std::unique_ptr<Rest> rest_;
};

}  // namespace

std::unique_ptr<mphf::FunctionAssembly> plan(const Parameters& parameters, std::uint64_t n,
                                             const mphf::PartContents& contents) {
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^48 keys; split them into shards");
  return std::make_unique<ConsensusAssembly>(parameters, n, contents);
}

}  // namespace crivo::consensus
