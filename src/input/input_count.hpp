// SPDX-License-Identifier: Apache-2.0
/// Counts what a reading of an input gives, and holds the next ones against the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "stream/hashed_value.hpp"
#include "stream/key_slice.hpp"
#include "stream/key_stream.hpp"

namespace crivo::input {

/// The counts of an input's hashed keys, by threads: partitions of the first reading, sums of each.
template <typename HashedKey>
class InputCount {
 public:
  /// The counts of a thread, on cache lines of its own.
  class alignas(64) OfThread {
   public:
    /// Counts a hashed key, and returns its partition.
    std::uint64_t add(const HashedKey& hashed) noexcept {
      const Hash128& hash = stream::hash_of(hashed);
      ++elements_;
      sums_.hi += hash.hi;
      sums_.lo += hash.lo;
      if constexpr (stream::kHasValue<HashedKey>) {
        sums_.values += hashed.value * (hash.lo | 1);
        value_bits_ |= hashed.value;
      }
      const std::uint64_t partition = base::top_bits(hash.hi, bits_);
      ++partitions_[partition];
      return partition;
    }

   private:
    friend class InputCount;

    unsigned bits_ = 0;
    std::uint64_t elements_ = 0;
    stream::KeySums sums_;
    std::uint64_t value_bits_ = 0;
    std::vector<std::uint64_t> partitions_;
  };

  InputCount(unsigned threads, unsigned partition_bits)
      : partition_bits_(partition_bits), threads_(threads) {
    begin_reading();
  }

  bool is_first() const noexcept { return totals_.partitions.empty(); }
  OfThread& of_thread(unsigned thread) noexcept { return threads_[thread]; }

  /// Throws Error(bad_input) if the hashed keys are not those of the first reading.
  void end_reading(const std::string& name) {
    stream::Totals totals{.partitions = std::vector<std::uint64_t>(threads_[0].partitions_.size())};
    stream::KeySums sums;
    for (const OfThread& thread : threads_) {
      totals.hashed_keys += thread.elements_;
      totals.value_bits |= thread.value_bits_;
      sums += thread.sums_;
      for (std::size_t i = 0; i < totals.partitions.size(); ++i)
        totals.partitions[i] += thread.partitions_[i];
    }
    if (is_first()) {
      totals_ = std::move(totals);
      sums_ = sums;
    } else if (totals.hashed_keys != totals_.hashed_keys || sums != sums_) {
      throw Error(ErrorKind::bad_input, name + ": has other keys than when it was read first (" +
                                            std::to_string(totals.hashed_keys) + " now, " +
                                            std::to_string(totals_.hashed_keys) + " then)");
    }
    begin_reading();
  }

  /// Returns what the first reading gave.
  const stream::Totals& totals() const noexcept { return totals_; }

 private:
  void begin_reading() {
    for (OfThread& thread : threads_) {
      thread = OfThread();
      thread.bits_ = partition_bits_;
      thread.partitions_.resize(std::size_t{1} << partition_bits_);
    }
  }

  unsigned partition_bits_;
  std::vector<OfThread> threads_;
  stream::Totals totals_;
  stream::KeySums sums_;
};

}  // namespace crivo::input
