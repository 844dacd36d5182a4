// SPDX-License-Identifier: Apache-2.0
/// A static function with its signatures, as the sections of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/page_checks.hpp"
#include "file/container.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/table.hpp"
#include "structures/static_function.hpp"

namespace crivo::map {

/// Over a container that must outlive it. Immutable; safe for any number of threads.
class MapFile {
 public:
  /// Finds and checks the sections; throws Error(corrupt), named after the container.
  explicit MapFile(const file::Container& container);

  std::string_view algorithm() const noexcept { return algorithm_; }
  const StaticFunction& function() const noexcept { return *function_; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept { return signature_bits_; }

  /// The value of a key of the set; of another, nothing where the signatures refuse it, and
  /// otherwise some value. An empty map has no value for any.
  std::optional<std::uint64_t> lookup(Hash128 hash) const noexcept {
    if (function_->size() == 0 || (signatures_ && !signatures_->contains(hash))) return {};
    return function_->value(hash);
  }
  /// The same for callers that ask again and again, of a map that refuses no key; nothing for one
  /// that may.
  detail::MapLookup plain_lookup() const noexcept {
    if (function_->size() == 0 || signatures_) return {};
    detail::MapLookup lookup = function_->lookup();
    lookup.damage = &pages_.damage();
    return lookup;
  }
  /// Whether lookup(hash) rests on damaged bytes: of a container whose lookups are checked.
  bool is_damaged(Hash128 hash) const noexcept {
    return base::rests_on_damage(pages_.checks(), [&] { (void)lookup(hash); });
  }
  /// present[i] and values[i] = whether lookup(hashes[i]) is something and what (0 if nothing),
  /// with the cache misses overlapped.
  void lookup(std::span<const Hash128> hashes, std::uint64_t* values, bool* present) const noexcept;
  /// The same, and damaged[i] = is_damaged(hashes[i]), of which nothing else is told.
  void lookup(std::span<const Hash128> hashes, std::uint64_t* values, bool* present,
              bool* damaged) const noexcept;

 private:
  using Signatures = filter::FingerprintFilter<ribbon::Table>;

  base::Pages pages_;
  std::string_view algorithm_;
  std::unique_ptr<const StaticFunction> function_;
  unsigned signature_bits_ = 0;
  std::optional<const Signatures> signatures_;
};

}  // namespace crivo::map
