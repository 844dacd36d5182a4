// SPDX-License-Identifier: Apache-2.0
/// The source of every structure: a key set that is leased a partition at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "stream/key_slice.hpp"

namespace crivo::stream {

/// The memory that a structure's parts take, by which the number of those in work is bounded.
struct PartCost {
  double build_bytes = 0;  ///< a key, while its part is built, beside the lease
  double part_bytes = 0;   ///< a key, of a part that waits to be joined
};

/// The partitions from `begin` to before `end`.
struct PartitionRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const noexcept { return end - begin; }
  friend bool operator==(const PartitionRun&, const PartitionRun&) = default;
};

/// The keys of a partition; their memory goes back to the source when the lease dies, which must
/// outlive it.
struct Lease {
  KeySlice keys;
  std::shared_ptr<const void> memory;  ///< that the keys are in, unless that is the source's
};

/// The keys of a partition, of which a slice at a time is leased.
class SlicedPartition {
 public:
  using Use = std::function<void(const KeySlice& keys)>;

  virtual ~SlicedPartition() = default;
  /// The number of its keys.
  virtual std::uint64_t size() const noexcept = 0;
  /// Calls use(keys) for slices in order, each of which is gone when `use` returns. Once.
  virtual void for_each(const Use& use) const = 0;
};

/// The distinct keys of a set, ascending by hash. Partition `index` of 2^bits holds those whose
/// `hi` begins with these bits, so partitions in order are the whole set in order. Structures are
/// built from them one at a time (structures/build/assembly.hpp), so that no more than the
/// partitions in work need be in memory.
///
/// All members may be called from any thread. What they throw beside Error is the source's own
/// business, and is to be let through (keys that turn out to be there twice).
class HashSource {
 public:
  virtual ~HashSource() = default;

  /// n, the number of keys.
  virtual std::uint64_t size() const noexcept = 0;
  /// The bits of the largest value: 0 if there is none but 0, or none at all.
  virtual unsigned value_bits() const noexcept = 0;

  /// Calls join(index, build_part(index, keys)) for each partition of a run of 2^bits, `bits` at
  /// most 48: build_part on up to context.threads threads at once, join one call at a time and in
  /// order.
  template <typename BuildPart, typename Join>
  void for_each_partition(unsigned bits, const PartitionRun& run, const PartCost& cost,
                          const base::BuildContext& context, BuildPart&& build_part,
                          Join&& join) const {
    using Part = decltype(build_part(std::uint64_t{}, KeySlice{}));
    if (run.size() == 0) return;
    const unsigned leased = std::min(bits, lease_bits());
    const unsigned cut = bits - leased;
    const std::uint64_t first_lease = run.begin >> cut;
    const auto begin_in = [&](std::uint64_t lease) { return std::max(run.begin, lease << cut); };
    base::parallel_ordered(
        threads_for(leased, cost, context.threads), ((run.end - 1) >> cut) + 1 - first_lease,
        [&](std::uint64_t i) {
          const std::uint64_t index = first_lease + i;
          const Lease lease = this->lease(leased, index);
          std::vector<Part> parts;
          parts.reserve(std::size_t{1} << cut);
          const std::uint64_t end = std::min(run.end, (index + 1) << cut);
          for (std::uint64_t p = begin_in(index); p != end; ++p) {
            parts.push_back(build_part(p, lease.keys.partition(bits, p)));
          }
          return parts;
        },
        [&](std::uint64_t i, std::vector<Part>&& parts) {
          std::uint64_t p = begin_in(first_lease + i);
          for (Part& part : parts) join(p++, std::move(part));
        });
    end_pass();
  }

  /// Whether partitions of 2^bits can be had in slices.
  bool has_slices(unsigned bits) const noexcept { return bits <= lease_bits(); }
  /// The same for who takes a partition's keys in slices, where they can be had:
  /// build_part(index, partition). `cost` is of these.
  template <typename BuildPart, typename Join>
  void for_each_sliced_partition(unsigned bits, const PartitionRun& run, const PartCost& cost,
                                 const base::BuildContext& context, BuildPart&& build_part,
                                 Join&& join) const {
    base::parallel_ordered(
        threads_for(bits, cost, context.threads), run.size(),
        [&](std::uint64_t i) {
          return build_part(run.begin + i, Slices(*this, bits, run.begin + i));
        },
        [&](std::uint64_t i, auto part) { join(run.begin + i, std::move(part)); });
    end_pass();
  }

  /// The same for all 2^bits partitions.
  template <typename BuildPart, typename Join>
  void for_each_partition(unsigned bits, const PartCost& cost, const base::BuildContext& context,
                          BuildPart&& build_part, Join&& join) const {
    for_each_partition(bits, {0, std::uint64_t{1} << bits}, cost, context,
                       std::forward<BuildPart>(build_part), std::forward<Join>(join));
  }

  /// Calls visit(keys) for all partitions of some number, on up to context.threads threads at
  /// once, in any order.
  template <typename Visit>
  void for_each(const PartCost& cost, const base::BuildContext& context, Visit&& visit) const {
    const auto wanted = static_cast<unsigned>(std::bit_width(size() / kVisitedKeys));
    const unsigned bits = std::min({lease_bits(), kVisitedBits, wanted});
    base::parallel_for(threads_for(bits, cost, context.threads), std::uint64_t{1} << bits,
                       [&](std::uint64_t index) { visit(lease(bits, index).keys); });
    end_pass();
  }

  /// Whether the memory is there for leases of 2^bits partitions on all threads at once.
  bool fits(unsigned bits, const PartCost& cost, const base::BuildContext& context) const {
    return threads_for(std::min(bits, lease_bits()), cost, context.threads) == context.threads;
  }

  /// For one who goes over all partitions again and again, before the first time, and while none
  /// are leased: a source that sorts them in memory then keeps them in order, for less than it
  /// takes to sort them once more.
  virtual void keep_order() const {}

  /// All keys, for structures that cannot be cut. They stay in memory as long as the source. Not
  /// while any are leased.
  virtual KeySlice whole(const base::BuildContext& context) const = 0;

 private:
  /// Those of a partition, of 2^kSliceKeys keys or somewhat more.
  class Slices final : public SlicedPartition {
   public:
    Slices(const HashSource& keys, unsigned bits, std::uint64_t index)
        : keys_(keys), bits_(bits), index_(index) {}
    std::uint64_t size() const noexcept override { return keys_.keys_of(bits_, index_); }
    void for_each(const Use& use) const override {
      const auto wanted = static_cast<unsigned>(std::bit_width(keys_.size() / kSliceKeys));
      const unsigned bits = std::max(bits_, std::min(wanted, keys_.lease_bits()));
      for (std::uint64_t i = index_ << (bits - bits_); i >> (bits - bits_) == index_; ++i)
        use(keys_.lease(bits, i).keys);
    }

   private:
    static constexpr std::uint64_t kSliceKeys = std::uint64_t{1} << 15;

    const HashSource& keys_;
    unsigned bits_;
    std::uint64_t index_;
  };

  static constexpr unsigned kVisitedBits = 13;
  static constexpr std::uint64_t kVisitedKeys = 64;  // so many are worth a visit

  /// The finest partitions that are leased.
  virtual unsigned lease_bits() const noexcept = 0;
  /// `bits` is at most lease_bits(). May throw Error(io).
  virtual Lease lease(unsigned bits, std::uint64_t index) const = 0;
  /// The number of keys of a partition. `bits` is at most lease_bits().
  virtual std::uint64_t keys_of(unsigned bits, std::uint64_t index) const noexcept = 0;
  /// So many of `threads` may have a lease at once for the memory that they take.
  virtual unsigned threads_for(unsigned bits, const PartCost& cost,
                               unsigned threads) const noexcept = 0;
  /// All partitions were leased: what is kept from lease to lease may go.
  virtual void end_pass() const noexcept {}
};

}  // namespace crivo::stream
