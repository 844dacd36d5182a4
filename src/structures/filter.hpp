// SPDX-License-Identifier: Apache-2.0
/// What an approximate-membership filter is to the rest of Crivo.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/filter_edit.hpp"
#include "crivo/filter_options.hpp"
#include "crivo/parameter.hpp"
#include "hashing/hash128.hpp"
#include "hashing/key_hash.hpp"
#include "hashing/range_hash.hpp"
#include "stream/hash_source.hpp"
#include "structures/assembly.hpp"
#include "structures/build_cost.hpp"

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
  /// What its header says beyond size and rate, in the order to print. O(1).
  virtual std::vector<Parameter> parameters() const { return {}; }
};

/// A filter that is being changed, in memory of its own: nothing is changed on disk before write().
/// After an add() or remove() that returned false it is to be dropped, as it may be half changed.
class Editor {
 public:
  virtual ~Editor() = default;

  /// Adds a hash; false if there is no room.
  virtual bool add(Hash128 hash) = 0;
  /// Removes a hash that was added (once, where a type kCounts); false if the filter surely lacks
  /// it. Only of types that kRemoves.
  virtual bool remove(Hash128 hash) = 0;
  /// The number of hashes that it holds now.
  virtual std::uint64_t size() const noexcept = 0;
  /// With more than so many its rate is above the one that it was built for.
  virtual std::uint64_t capacity() const noexcept = 0;
  /// Writes the section of the filter as it is now, its header's counts included.
  virtual void write(base::Sink& sink) = 0;
};

/// A filter's section, and the file it is in, for messages.
struct NamedSection {
  std::string name;
  base::ByteView bytes;
};

enum class SetOperation { unite, intersect };

/// What a union or intersection is estimated to hold.
struct Combined {
  std::uint64_t keys = 0;  ///< that its header tells
  SetSizes sizes;
};

/// What can be done with a filter once it is built, as bits of Type::can.
inline constexpr unsigned kAdds = 1;     ///< Editor::add
inline constexpr unsigned kRemoves = 2;  ///< Editor::remove
inline constexpr unsigned kCounts = 4;   ///< Membership::count
inline constexpr unsigned kUnites = 8;   ///< Type::combine
inline constexpr unsigned kRanges = 16;  ///< Membership::contains_run

/// What a filter will be, known from the number of its keys and the options.
struct Forecast {
  double bits_per_key = 0;  ///< of the section, its fixed header left out
  double fpr = 0;           ///< designed, and at most what was asked
};

/// What lookups and builds of a variant of a type cost, for filter advise: CPU nanoseconds a key,
/// all in one run of `crivo-bench ints -n 10000000 --kind filter` on one thread of a shared AMD
/// EPYC (AVX2), at rate 1/256. Lookups one at a time by prepared hash, the mean of keys in the set
/// and of others; builds from sorted hashes. Only ratios are shown.
struct FilterCost {
  double lookup_ns = 0;
  double build_ns = 0;
  unsigned arity = 4;  ///< of FilterOptions
  bool semi_sorted = false;
};

/// A filter type that a user can name. To add one: implement these, and add a row to the registry.
/// forecast, plan and build throw Error(usage) for options that the type cannot meet.
struct Type {
  std::string_view name;       ///< of `--type` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  unsigned can = 0;            ///< an OR of kAdds, kRemoves, kCounts, kUnites, kRanges
  hashing::KeyHashId key_hash = hashing::KeyHashId::xxh3;  ///< of the hashes that it is built over
  BuildCost cost;
  std::array<FilterCost, 2> variants{};  ///< the second may cost nothing: then there is none
  /// What a filter of n keys will be. O(1).
  Forecast (*forecast)(std::uint64_t n, const FilterOptions& options);
  /// The filter of n keys, to be built in parts. Null where there are none: then build_whole writes
  /// the filter of a set that it takes as a whole.
  std::unique_ptr<Assembly> (*plan)(std::uint64_t n, const FilterOptions& options) = nullptr;
  void (*build_whole)(const stream::HashSource& hashes, const FilterOptions& options,
                      const base::BuildContext& context, base::Sink& sink) = nullptr;
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound.
  std::unique_ptr<const Membership> (*open)(base::ByteView section);
  /// Copies a section that open() accepts, to change it; null where the type neither kAdds nor
  /// kRemoves.
  std::unique_ptr<Editor> (*edit)(base::ByteView section) = nullptr;
  /// Writes the union, or what may be in each, of sections that open() accepts. Throws Error(usage)
  /// that says what differs where their parameters do; null where the type does not kUnite.
  Combined (*combine)(std::span<const NamedSection> sections, SetOperation operation,
                      base::Sink& sink) = nullptr;

  /// Writes the filter of `hashes` to `sink`. The bytes depend on the hashes and the options alone,
  /// not on threads.
  void build(const stream::HashSource& hashes, const FilterOptions& options,
             const base::BuildContext& context, base::Sink& sink) const;
};

/// The designed false-positive rate that the options allow at most; 1/256 where they name none.
/// Throws Error(usage) if it is not below 1, or less than 2^-32.
double asked_fpr(const FilterOptions& options);

/// The types in the order that `--help` lists them; the first is the default.
std::span<const Type> types() noexcept;
std::span<const std::string_view> type_names() noexcept;

}  // namespace crivo::filter
