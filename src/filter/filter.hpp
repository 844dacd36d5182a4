/// What an approximate-membership filter is to the rest of Crivo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/filter_options.hpp"
#include "crivo/hash.hpp"
#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "keys/sorted_hashes.hpp"
#include "util/progress.hpp"

namespace crivo::filter {

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
};

/// Members of FilterOptions that belong to some types only, as bits of Type::takes.
enum Takes : unsigned {
  kTakesCapacity = 1,
  kTakesHashes = 2,
  kTakesCounterBits = 4,
  kTakesArity = 8,
  kTakesSemiSorted = 16,
};

/// What a filter will be, known from the number of its keys and the options.
struct Plan {
  double bits_per_key = 0;  ///< of the section, its fixed header left out
  double fpr = 0;           ///< designed, and at most what was asked
};

/// A filter type that a user can name. To add one: implement these three, and add a row to the
/// registry. All three throw Error(usage) for options that the type cannot meet.
struct Type {
  std::string_view name;       ///< of `--type` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  unsigned takes;              ///< an OR of Takes
  /// What a filter of n keys will be. O(1).
  Plan (*plan)(std::uint64_t n, const FilterOptions& options);
  /// Writes the filter of `hashes` to `sink`. The bytes depend on the hashes and the options alone,
  /// not on threads.
  void (*build)(const keys::SortedHashes& hashes, const FilterOptions& options,
                const util::BuildContext& context, file::Sink& sink);
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound.
  std::unique_ptr<const Membership> (*open)(file::ByteView section);
};

/// The types in the order that `--help` lists them; the first is the default.
std::span<const Type> types() noexcept;

}  // namespace crivo::filter
