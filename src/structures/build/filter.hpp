// SPDX-License-Identifier: Apache-2.0
/// How filters of a type are built, changed and combined.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/options.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/filter.hpp"

namespace crivo::filter {

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

/// The estimated size of a union or intersection.
struct Combined {
  std::uint64_t keys = 0;  ///< that its header tells
  SetSizes sizes;
};

/// The size and rate of a filter, known from the number of its keys and the options.
struct Forecast {
  double bits_per_key = 0;  ///< of the section, its fixed header left out
  double fpr = 0;           ///< designed, and at most what was asked
};

/// The cost of lookups and builds of a variant of a type, for filter advise: CPU nanoseconds a key,
/// all in one run of `crivo-bench ints -n 10000000 --kind filter` on one thread of a shared AMD
/// EPYC (AVX2), at rate 1/256. Lookups one at a time by prepared hash, the mean of keys in the set
/// and of others; builds from sorted hashes. Only ratios are shown.
struct FilterCost {
  double lookup_ns = 0;
  double build_ns = 0;
  unsigned arity = 4;  ///< of FilterOptions
  bool semi_sorted = false;
};

/// How the section of a filter is written into memory from hashes of 64 bits in any order, each as
/// often as it may come. Neither allocates anything; both throw as Builder::plan.
struct UnsortedBuild {
  /// Returns the bytes of the section of n hashes. O(1).
  std::uint64_t (*bytes)(std::uint64_t n, const FilterOptions& options) = nullptr;
  /// `section` has so many bytes. O(n + bytes).
  void (*fill)(std::span<const std::uint64_t> hashes, const FilterOptions& options,
               std::span<std::byte> section) = nullptr;
};

/// How filters of a type are built. forecast, plan and build throw Error(usage) for options that
/// the type cannot meet.
struct Builder {
  std::string_view name;  ///< of the Type
  BuildCost cost;
  std::array<FilterCost, 2> variants{};  ///< the second may cost nothing: then there is none
  /// Returns the forecast for a filter of n keys. O(1).
  Forecast (*forecast)(std::uint64_t n, const FilterOptions& options);
  /// The filter of n keys, to be built in parts. Null where there are none: then build_whole writes
  /// the filter of a set that it takes as a whole.
  std::unique_ptr<Assembly> (*plan)(std::uint64_t n, const FilterOptions& options) = nullptr;
  void (*build_whole)(const stream::HashSource& hashes, const FilterOptions& options,
                      const base::BuildContext& context, base::Sink& sink) = nullptr;
  /// Copies a section that Type::open() accepts, to change it; null where the type neither kAdds
  /// nor kRemoves.
  std::unique_ptr<Editor> (*edit)(base::ByteView section) = nullptr;
  /// Writes the union, or what may be in each, of sections that Type::open() accepts. Throws
  /// Error(usage) that says what differs where their parameters do; null where the type does not
  /// kUnite.
  Combined (*combine)(std::span<const NamedSection> sections, SetOperation operation,
                      base::Sink& sink) = nullptr;
  UnsortedBuild unsorted{};  ///< none: hashes have to be in order

  /// The row of those that read its sections.
  const Type& type() const noexcept;
  /// Writes the filter of `hashes` to `sink`. The bytes depend on the hashes and the options alone,
  /// not on threads.
  void build(const stream::HashSource& hashes, const FilterOptions& options,
             const base::BuildContext& context, base::Sink& sink) const;
};

/// The designed false-positive rate that the options allow at most; 1/256 where they name none.
/// Throws Error(usage) if it is not below 1, or less than 2^-32.
double asked_fpr(const FilterOptions& options);

/// A row for each of types(), in their order.
std::span<const Builder> builders() noexcept;
std::span<const std::string_view> type_names() noexcept;
const Builder& builder_of(const Type& type) noexcept;

}  // namespace crivo::filter
