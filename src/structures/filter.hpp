// SPDX-License-Identifier: Apache-2.0
/// An approximate-membership filter, as the rest of Crivo sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/inspect.hpp"
#include "hashing/hash128.hpp"
#include "hashing/key_hash.hpp"
#include "hashing/range_hash.hpp"

namespace crivo::filter {

/// Numbers of one run (hashing::range_hash()): from that of the hash `first` to `last`.
struct NumberRun {
  Hash128 first;
  std::uint64_t last = 0;
};

/// Says "maybe" for every hash it was built over and for a fraction fpr() of all others, resting on
/// mapped bytes that must outlive it. Immutable; safe for any number of threads. Whatever the bytes
/// hold, no byte outside them is read.
class Membership {
 public:
  virtual ~Membership() = default;

  /// The number of hashes it was built over.
  virtual std::uint64_t size() const noexcept = 0;
  /// The designed false-positive rate. An empty filter holds nothing: 0.
  virtual double fpr() const noexcept = 0;
  virtual bool contains(Hash128 hash) const noexcept = 0;
  /// answers[i] = contains(hashes[i]), with the cache misses overlapped.
  virtual void contains(std::span<const Hash128> hashes, bool* answers) const noexcept = 0;
  /// Whether one of the numbers may be a key's, for types that kRanges.
  virtual bool contains_run(const NumberRun& /*run*/) const noexcept { return true; }
  /// answers[i] = contains_run(runs[i]), with the cache misses overlapped.
  virtual void contains_runs(std::span<const NumberRun> runs, bool* answers) const noexcept;
  /// contains() of one hash for callers that ask again and again; lives as long as the filter.
  virtual detail::FilterLookup lookup() const noexcept;

  /// How often a hash was added, or more where others share its counters: for types that kCounts.
  virtual std::uint64_t count(Hash128 hash) const noexcept { return contains(hash) ? 1 : 0; }
  /// Returns the rows of its header beyond size and rate, in the order to print. O(1).
  virtual std::vector<Parameter> parameters() const { return {}; }
};

/// The operations that types of filters allow, as bits of Type::can.
inline constexpr unsigned kAdds = 1;     ///< Editor::add
inline constexpr unsigned kRemoves = 2;  ///< Editor::remove
inline constexpr unsigned kCounts = 4;   ///< Membership::count
inline constexpr unsigned kUnites = 8;   ///< Builder::combine
inline constexpr unsigned kRanges = 16;  ///< Membership::contains_run

/// A filter type: how its sections are read. To add one: implement open() and what filter::Builder
/// asks for (structures/build/filter.hpp), and add a row to both registries.
struct Type {
  std::string_view name;       ///< of `--type` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  unsigned can = 0;            ///< an OR of kAdds, kRemoves, kCounts, kUnites, kRanges
  hashing::KeyHashId key_hash = hashing::KeyHashId::xxh3;  ///< of the hashes that it is built over
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound.
  std::unique_ptr<const Membership> (*open)(base::ByteView section);
};

/// The types in the order that `--help` lists them; the first is the default.
std::span<const Type> types() noexcept;

inline detail::FilterLookup Membership::lookup() const noexcept {
  return {.call =
              [](const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept {
                return static_cast<const Membership*>(filter)->contains(Hash128{hi, lo});
              },
          .filter = this};
}

inline void Membership::contains_runs(std::span<const NumberRun> runs,
                                      bool* answers) const noexcept {
  std::ranges::transform(runs, answers, [this](const NumberRun& run) { return contains_run(run); });
}

}  // namespace crivo::filter
