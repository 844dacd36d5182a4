// SPDX-License-Identifier: Apache-2.0
/// The memory that a build takes, and whether there is so much.
///
/// How a build divides its memory, by what its input looks like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_limit.hpp"
#include "crivo/build/build.hpp"
#include "records/codec.hpp"

namespace crivo::index {

struct MemoryBudget;

/// The memory that a build needs, without the program itself (some 10 MB).
struct MemoryNeed {
  double key_bytes = 0;  ///< that a key has in memory in any case
  double stream_bytes =
      0;  ///< that a key has in the key stream and the scratch, which can be spilled
  double work_bytes = 0;                               ///< of a thread, where memory is ample
  std::uint64_t fixed_bytes = std::uint64_t{8} << 20;  ///< in any case, at least
  double record_bytes = 0;    ///< that a key's record has in its spool, which can be spilled
  double in_input_bytes = 0;  ///< of those, what stays in the input
  double longest_record = 0;  ///< with its key
  double training_bytes = 0;  ///< of a codec, in all
  double encoded_share = 1;   ///< of records, what is left when they are encoded

  /// The least budget that a build of so many keys can keep to: fixed_bytes, key_bytes a key, and a
  /// lease of 1/2048 of the keys.
  std::uint64_t least(std::uint64_t keys) const noexcept;
  /// About the peak of a build within a budget.
  std::uint64_t peak(std::uint64_t keys, unsigned threads,
                     const MemoryBudget& budget) const noexcept;
  /// The same of a build of an ordered store, of keys and records of so many bytes in all.
  std::uint64_t peak_in_order(std::uint64_t keys, std::uint64_t bytes, unsigned threads,
                              const MemoryBudget& budget) const noexcept;
  /// `bytes`, which are those of a build of many records, and what the longest takes.
  double with_longest(double bytes) const noexcept;
  /// Returns the bytes that such a build spills.
  std::uint64_t spilled(std::uint64_t keys, const MemoryBudget& budget) const noexcept;

 private:
  /// The bytes that so many keys take beside the rest, where records are short.
  double short_records(double keys) const noexcept;
};

/// These take options that were checked.
MemoryNeed mphf_memory(const MphfOptions& mphf);
MemoryNeed filter_memory(const FilterOptions& filter);
/// `value_bits` of a value as it is stored; 0: those of the last line's number.
MemoryNeed map_memory(const MapOptions& map, unsigned value_bits, bool ignore_duplicates);
/// The need of an exact set, by the key that passes, and by the member.
MemoryNeed exact_memory(const ExactOptions& exact);
/// Without what with_records() adds.
MemoryNeed store_memory(const StoreOptions& store);
/// The same of a build that keeps records, of so many bytes with their keys: of each, and of one.
MemoryNeed with_records(MemoryNeed need, double pair_bytes, std::uint64_t longest);
/// The same of records of so many bytes in all, and on average, whose codec (nothing: that which
/// fits best) is trained on some of these.
MemoryNeed with_coding(MemoryNeed need, std::optional<records::CodecId> codec, double bytes,
                       double pair_bytes, double encoded_share);

/// The need of a shard of a build that has `need` on one machine. What parts leave over is in their
/// files: the merge has it in memory.
MemoryNeed shard_memory(const MemoryNeed& need);
/// And of the merge.
MemoryNeed merge_memory(const MemoryNeed& need);

/// The memory that a build may take: as asked, or three quarters of what there is.
struct MemoryBudget {
  MemoryBudget(const BuildOptions& options, const base::AvailableMemory& available);

  /// The bytes of the key stream, so that all stays within the budget or little more.
  std::uint64_t stream_bytes() const noexcept;
  /// The bytes of each thing that a structure holds back, where the key stream leaves so much of
  /// its memory.
  std::uint64_t scratch_bytes(std::uint64_t free_bytes) const noexcept;
  /// So many threads have what each of them needs.
  unsigned threads(unsigned asked) const noexcept;

  std::uint64_t bytes;
  bool was_asked;      ///< for by the caller
  std::string source;  ///< otherwise: what it is, for a message
};

/// An amount of memory for a message, in KiB or MiB: what there is, rounded down, and what is
/// needed, rounded up.
std::string memory_text(std::uint64_t bytes);
std::string needed_memory_text(std::uint64_t bytes);

/// Says why a build (or what else `work` says) of so many keys cannot keep to the budget, and what
/// to do; empty if it can.
std::string memory_problem(std::uint64_t keys, const MemoryNeed& need, const MemoryBudget& budget,
                           std::string_view work);

/// The budget of a build, and whether its input fits into that.
class MemoryPlan {
 public:
  /// The facts that a look at the beginning of an input gave. A default one knows nothing.
  struct Input {
    std::string name{};                ///< for messages
    std::optional<MemoryNeed> need{};  ///< of the build; none: it is never refused
    std::optional<std::uint64_t> keys{};
    double record_bytes = 0;   ///< of a record with its key, or of a key that is kept
    bool has_records = false;  ///< else `record_bytes` is of a key alone
  };

  explicit MemoryPlan(const BuildOptions& options);

  const MemoryBudget& budget() const noexcept { return budget_; }
  unsigned threads() const noexcept { return threads_; }

  /// Plans for such an input. Throws what refuse_too_many() does for its keys.
  void expect(Input input);
  const Input& input() const noexcept { return input_; }

  /// Throws Error(io), with what it takes, unless `work` ("a build") on so many keys, of the input
  /// called `name`, can keep to the budget.
  void require(const std::string& name, std::uint64_t keys, const MemoryNeed& need,
               std::string_view work) const;
  /// Throws what require() does if the expected input has so many keys, and its build a need.
  void refuse_too_many(std::uint64_t keys) const;

  /// The pieces of a records::RecordSpool for the records of the expected input, and what it takes
  /// of the budget's stream_bytes().
  unsigned spool_bits() const noexcept;
  std::uint64_t spool_bytes() const noexcept;
  /// Returns the bytes of the budget that are left to the stream of keys.
  std::uint64_t key_bytes() const noexcept { return budget_.stream_bytes() - spool_bytes(); }

 private:
  MemoryBudget budget_;
  unsigned threads_;
  bool ignores_duplicates_;
  Input input_;
};

}  // namespace crivo::index
