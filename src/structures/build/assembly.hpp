// SPDX-License-Identifier: Apache-2.0
/// How a structure is built: planned, made in parts, joined.
///
///     plan         (a registry row) every size and border, from the number of keys and what was
///                  asked for alone
///     build_part   what a run of partitions adds, from their keys alone: any number at once, on
///                  any machine
///     join         the parts in the order of their partitions, into the bytes of the section
///
/// So the bytes are the same wherever the parts were made: by the threads of one build, which joins
/// them as they come (build()), or by tasks that write them to files (build_parts()) for another to
/// join.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/rank_runs.hpp"

namespace crivo {

/// The ranks of the keys in a partition of an MPHF, with its hashes, for who puts something in
/// order by these.
struct PartRanks {
  static constexpr std::uint32_t kBumped = UINT32_MAX;

  /// So many ranks are the partition's, the next ones after those of the partitions before.
  std::uint64_t count = 0;
  /// The rank of each key in the part, in the order of the hashes; kBumped for one whose rank is
  /// known when all parts are joined. Bumped keys have the ranks that are no other key's, in any
  /// partition and behind them all.
  std::vector<std::uint32_t> of_keys{};
  /// The number of keys in each of some *cells*, partitions that are as fine or finer.
  std::vector<std::uint32_t> cell_keys{};
};

/// The bytes that a run of partitions adds to a structure, in an order and a form of its
/// structure's own.
struct Part {
  base::Bytes body;          ///< stands in the section as it is, or nearly
  base::Bytes notes;         ///< what join() takes in beside: entries of tables, what is left over
  base::Bytes signatures{};  ///< of an MPHF's keys by their ranks, where they are asked for
  PartRanks ranks{};         ///< of an MPHF's keys, where they are asked for
};

/// A part as join() takes it: it may lie in a mapped file.
struct PartView {
  base::ByteView body;
  base::ByteView notes;
};

/// So many bytes at the beginning and at the end of a section.
struct SectionEnds {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
};

/// A structure that was planned.
class Assembly {
 public:
  virtual ~Assembly() = default;

  /// It is made of 2^bits partitions, by the top bits of the hashes.
  virtual unsigned partition_bits() const noexcept = 0;
  /// So many partitions, as a power of two, gain from being built at once by one thread.
  virtual unsigned together_bits() const noexcept { return 0; }
  virtual stream::PartCost cost() const noexcept = 0;

  /// The part of those partitions that are number `index` of 2^bits, where `bits` is from
  /// partition_bits() - together_bits() to partition_bits(). From any thread. Throws
  /// Error(bad_input) for hashes that are too unlike random ones.
  virtual Part build_part(unsigned bits, std::uint64_t index,
                          const stream::KeySlice& keys) const = 0;
  /// Whether build_sliced_part() makes the same part of a partition's keys in slices, so that no
  /// more of them need be in memory. cost() is then that of it.
  virtual bool takes_slices() const noexcept { return false; }
  virtual Part build_sliced_part(std::uint64_t /*index*/,
                                 const stream::SlicedPartition& /*keys*/) const {
    return {};
  }

  /// Puts into a part what the one before it left in `edge`, and leaves there what the next one
  /// takes: called for parts in a row that stay together in a file, so that join() finds nothing
  /// to change where they meet. join() does without.
  virtual void join_edges(Part& /*part*/, base::Bytes& /*edge*/) const {}

  /// Appends what stands before the parts; then each part; then what stands behind them. `sink` is
  /// one and the same, in which the section begins. A part may come from a file, so that nothing in
  /// it is trusted: Error(corrupt). Bodies are appended as they are, by the views that were given,
  /// but where two partitions share an edge. `context` is the same for all calls; what parts leave
  /// over is in its scratch.
  virtual void begin(const base::BuildContext& context, base::Sink& sink) = 0;
  virtual void join(const PartView& part, base::Sink& sink) = 0;
  virtual void finish(const base::BuildContext& context, base::Sink& sink) = 0;
  /// Returns the bytes that a lookup reads before it looks into a partition, in the section that is
  /// finished.
  virtual SectionEnds looked_at_first() const noexcept { return {}; }

  /// Where in the section the body of a partition begins, modulo kPageBytes, where that is known
  /// from the plan. Otherwise (a body's length depends on its keys) where it begins after
  /// begin_page().
  virtual std::uint64_t place_in_page(std::uint64_t partition) const noexcept = 0;
  /// Between parts, of a structure whose bodies may stand apart: goes on at the place in the next
  /// page that place_in_page() says. Nothing in others. The section then is no longer the one that
  /// a build writes, but gives the same answers.
  virtual void begin_page(base::Sink& /*sink*/) {}
};

/// Builds the section of `keys`. Reports each key to the phase of `context.progress` that the
/// caller began. `visit` is called with each part, in order, once it is joined.
void build(Assembly& assembly, const stream::HashSource& keys, const base::BuildContext& context,
           base::Sink& sink, const std::function<void(const Part& part)>& visit = {});

/// The run of 2^bits partitions that shard `index` of `shards` has to build: whole ones, as evenly
/// as it goes.
stream::PartitionRun run_of_shard(unsigned bits, std::uint64_t index,
                                  std::uint64_t shards) noexcept;

/// Calls use(partitions, part) for the parts of a run, in order; a part is of one partition or
/// some. They come from `make`, which is called from any thread as Assembly::build_part() is; where
/// there is none, from that.
using MakePart =
    std::function<Part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys)>;
void build_parts(const Assembly& assembly, const stream::HashSource& keys,
                 const stream::PartitionRun& run, const base::BuildContext& context,
                 const std::function<void(std::uint64_t partitions, Part part)>& use,
                 const MakePart& make = {});

}  // namespace crivo
