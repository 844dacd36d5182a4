// SPDX-License-Identifier: Apache-2.0
/// A filter as a section of a file, and with the layers that deltas add to it (formats/delta.md):
/// it may hold what its base or one of them may hold.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "file/container.hpp"
#include "lookup/chain_file.hpp"
#include "structures/filter.hpp"

namespace crivo::filter {

/// A filter over a container that must outlive it.
struct FilterFile {
  /// Finds and checks the section; throws Error(corrupt), named after the container.
  explicit FilterFile(const file::Container& container);

  const Type* type = nullptr;
  base::ByteView section;    ///< of the first layer, which has the tag 0
  std::uint64_t layers = 1;  ///< whose sections have the tags from 0 on
  std::unique_ptr<const Membership> membership;
};

/// The filters that a delta adds, one for each of its lists.
struct AddedLayers {
  /// Over a container that must outlive it. Throws Error(corrupt), named after that.
  AddedLayers(const file::Container& container, const exact::Delta& delta);

  std::vector<std::unique_ptr<const Membership>> layers;
};

/// The type of all added layers.
const Type& layer_type() noexcept;

/// A filter with its deltas.
class LinkedFilter : public exact::ChainState {
 public:
  /// `files` is the base, then deltas in order; they must outlive it. Throws Error(corrupt) where a
  /// delta is of another base, or does not follow the one before. O(layers): what keys set is not
  /// read.
  explicit LinkedFilter(const std::vector<const file::Container*>& files);

  /// The type of the base.
  const Type& type() const noexcept { return *type_; }
  double base_fpr() const noexcept { return base_fpr_; }
  /// Answers for all layers.
  const Membership& membership() const noexcept { return *membership_; }
  /// Whether a new base serves better: the deltas are long, or errors are more than twice as many.
  bool is_outgrown() const noexcept;

 private:
  LinkedFilter(const std::vector<const file::Container*>& files, FilterFile base);

  const Type* type_;
  double base_fpr_;
  std::unique_ptr<const Membership> membership_;
};

using LayeredFilter = exact::Layered<LinkedFilter, file::Kind::filter>;

}  // namespace crivo::filter
