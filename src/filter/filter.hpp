/// What an approximate-membership filter is to the rest of Crivo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

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

/// A filter type that a user can name. To add one: implement these two, and add a row to the
/// registry.
struct Type {
  std::string_view name;       ///< of `--type` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  /// Writes the filter of `hashes` with fingerprints of `bits` (1 to 32) bits to `sink`. The bytes
  /// depend on the hashes and `bits` alone, not on threads.
  void (*build)(const keys::SortedHashes& hashes, unsigned bits, const util::BuildContext& context,
                file::Sink& sink);
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound.
  std::unique_ptr<const Membership> (*open)(file::ByteView section);
};

/// The types in the order that `--help` lists them; the first is the default.
std::span<const Type> types() noexcept;

}  // namespace crivo::filter
