// SPDX-License-Identifier: Apache-2.0
/// How a cuckoo filter is built and changed (structures/cuckoo/cuckoo.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan, Type::open and Type::edit of the cuckoo filter.
Forecast forecast_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Editor> edit_cuckoo(base::ByteView section);

/// A cuckoo filter in memory that is asked for each hash before it is added.
class SeenLayer : public Editor {
 public:
  /// held[i] becomes true where the filter may hold hashes[i].
  virtual void contains(std::span<const Hash128> hashes, bool* held) const = 0;
  /// Does the same hash after hash, and adds each hash that is not held then, by this filter or, as
  /// held[i] was before, by another. Stops before one for which there is no room; returns how many
  /// hashes it went through. With capacity() keys it is full.
  virtual std::size_t add_new(std::span<const Hash128> hashes, bool* held) = 0;
};
/// Copies a section that open_cuckoo() accepts.
std::unique_ptr<SeenLayer> open_seen_layer(base::ByteView section);
/// One without keys. Throws Error(usage) as a build with such options.
std::unique_ptr<SeenLayer> new_seen_layer(std::uint64_t capacity, double fpr);
/// The memory that such a one takes.
std::uint64_t seen_layer_bytes(std::uint64_t capacity, double fpr);

}  // namespace crivo::filter
