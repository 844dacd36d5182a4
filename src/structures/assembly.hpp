/// How a structure is built: planned, made in parts, joined.
///
///     plan         (a registry row) every size and border, from the number of keys and what was
///     asked for alone build_part   what a run of partitions adds, from their keys alone: any
///     number at once, on any machine join         the parts in the order of their partitions, into
///     the bytes of the section
///
/// So the bytes are the same wherever the parts were made: by the threads of one build, which joins
/// them as they come (build()), or by tasks that write them to files (build_parts()) for another to
/// join.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/key_source.hpp"

namespace crivo {

/// What a run of partitions adds to a structure. Bytes alone, in an order and a form of its
/// structure's own.
struct Part {
  base::Bytes body;          ///< stands in the section as it is, or nearly
  base::Bytes notes;         ///< what join() takes in beside: entries of tables, what is left over
  base::Bytes signatures{};  ///< of an MPHF's keys by their ranks, where they are asked for
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

  /// Appends what stands before the parts; then each part; then what stands behind them. `sink` is
  /// one and the same, in which the section begins. A part may come from a file, so that nothing in
  /// it is trusted: Error(corrupt).
  virtual void begin(base::Sink& sink) = 0;
  virtual void join(Part part, base::Sink& sink) = 0;
  virtual void finish(const base::BuildContext& context, base::Sink& sink) = 0;
};

/// Builds the section of `keys`. Reports each key to the phase of `context.progress` that the
/// caller began.
void build(Assembly& assembly, const stream::KeySource& keys, const base::BuildContext& context,
           base::Sink& sink);

/// The run of 2^bits partitions that shard `index` of `shards` has to build: whole ones, as evenly
/// as it goes.
stream::PartitionRun run_of_shard(unsigned bits, std::uint64_t index,
                                  std::uint64_t shards) noexcept;

/// Calls use(partitions, part) for the parts of a run, in order; a part is of one partition or
/// some.
void build_parts(const Assembly& assembly, const stream::KeySource& keys,
                 const stream::PartitionRun& run, const base::BuildContext& context,
                 const std::function<void(std::uint64_t partitions, Part part)>& use);

}  // namespace crivo
