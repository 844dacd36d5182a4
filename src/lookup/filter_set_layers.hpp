// SPDX-License-Identifier: Apache-2.0
/// A filter set as a file, or a chain of such files, its layers (formats/filterset.md), asked as
/// one set of those groups that were not removed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "file/container.hpp"
#include "lookup/filter_set_file.hpp"
#include "lookup/layered_names.hpp"

namespace crivo::filter_set {

/// A group has a number among those of all layers, in the order of the names.
class FilterSetLayers {
 public:
  /// Over the file itself and, of a chain, those that it names, which must outlive it. Throws
  /// Error(corrupt) where these do not belong together. O(1); of a chain O(groups).
  FilterSetLayers(const file::Container& own, const std::vector<file::Container>& links);

  struct Layer {
    const file::Container* container;
    FilterSetFile set;
    /// The number of each of its groups, or kNoGroup; empty where there is one layer alone, whose
    /// numbers are those of all.
    std::vector<std::uint64_t> numbers{};

    /// Those that groups of its are told by; null where they are its own.
    const std::uint64_t* told() const noexcept {
      return numbers.empty() ? nullptr : numbers.data();
    }
  };
  /// A group of a layer.
  struct Place {
    const Layer* layer;
    std::uint64_t group;
  };

  std::span<const Layer> layers() const noexcept { return layers_; }
  const LayeredNames& names() const noexcept { return names_; }
  std::uint64_t groups() const noexcept {
    return is_chain_ ? places_.size() : layers_.front().set.groups();
  }
  /// The designed rate of a group; 0 where there is none.
  double rate() const noexcept;
  /// The place of a group below groups().
  Place place(std::uint64_t group) const noexcept {
    return is_chain_ ? Place{&layers_[places_[group].layer], places_[group].group}
                     : Place{&layers_.front(), group};
  }
  std::string_view name(std::uint64_t group) const noexcept {
    const Place at = place(group);
    return at.layer->set.name(at.group);
  }
  std::optional<std::uint64_t> find(std::string_view name) const noexcept;

  /// As those of GroupedFilters, by these numbers; bitmaps have no bit set.
  bool contains(std::uint64_t group, Hash128 hash) const noexcept;
  void contains(std::uint64_t group, std::span<const Hash128> hashes, bool* answers) const noexcept;
  void groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps) const noexcept;
  void count(std::span<const Hash128> hashes, std::uint32_t* counts) const noexcept;

 private:
  struct LivePlace {
    std::uint32_t layer;
    std::uint64_t group;
  };
  FilterSetLayers(std::vector<Layer> layers, const file::Container& own,
                  const std::vector<file::Container>& links);
  void check_alike(const file::Container& chain) const;
  void number_groups(const file::Container& chain);

  std::vector<Layer> layers_;
  LayeredNames names_;
  bool is_chain_;
  std::vector<LivePlace> places_;  ///< of a chain, by number
};

}  // namespace crivo::filter_set
