// SPDX-License-Identifier: Apache-2.0
/// Keys and records counted, and a sample of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/value_form.hpp"

namespace crivo::input {

/// Keeps some of the units that are added, those with the least hashes of their keys: which these
/// are depends neither on the order of the units nor on the threads. 8 to 16 MiB of them, or all.
class KeptUnits {
 public:
  struct Unit {
    std::string_view key;
    std::string_view record;  ///< of a long one, the front
    std::uint64_t value = 0;  ///< its value, or the bytes of a long record that were left away
  };

  KeptUnits() = default;
  /// For so many units of so many bytes each: of a large number most are not even looked at.
  KeptUnits(std::uint64_t units, double unit_bytes);

  /// Whether the unit of this number in its chunk is one to be added.
  bool wants(std::uint64_t index) const noexcept { return (index & passed_over_) == 0; }
  /// How many of so many units are to be added.
  std::uint64_t wanted(std::uint64_t units) const noexcept { return units / (passed_over_ + 1); }
  /// Adds a unit. May be called from any thread.
  void add(std::string_view key, std::string_view record = {}, std::uint64_t value = 0);
  /// The kept units, by hash: of a seed of the sample's own, so that those of a build are as even
  /// as all are. Their texts lie in the same order, so that they are read as those of a file are.
  /// After the last add(), once.
  std::vector<Unit> sorted();

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t value;
    std::size_t offset;  ///< of the key, then the record
    std::uint32_t key_bytes;
    std::uint32_t record_bytes;

    std::size_t bytes() const noexcept { return std::size_t{key_bytes} + record_bytes; }
  };
  void drop_upper_half();

  std::uint64_t passed_over_ = 0;  ///< all but the last bit of the units' distance, a power of 2
  std::atomic<std::uint64_t> bound_{UINT64_MAX};  ///< units whose hash is at most this are kept
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<char> texts_;
};

/// Counts the keys of `input` and the bytes they have in all, and adds them to a sample, if any.
struct KeyCount {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::uint64_t longest = 0;  ///< the bytes of one

  void add(std::uint64_t size) noexcept {
    ++keys;
    bytes += size;
    longest = std::max(longest, size);
  }
};
KeyCount count_keys(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept);
/// The same of key-and-value pairs, and how many bits the values take as a map keeps them. Throws
/// Error(bad_input) for a value that is none of `form`.
struct ValueCount : KeyCount {
  unsigned value_bits = 0;
};
ValueCount count_values(const KeyInput& input, const ValueForm& form,
                        const base::BuildContext& context, KeptUnits* kept);
/// The same of key-and-record pairs; bytes are those of keys and records.
KeyCount count_records(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept);

}  // namespace crivo::input
