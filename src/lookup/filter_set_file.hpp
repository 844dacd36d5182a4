// SPDX-License-Identifier: Apache-2.0
/// A filter set as a file, in either layout (formats/filterset.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "file/container.hpp"
#include "structures/filter_set/filter_blocks.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::filter_set {

/// Over a container that must outlive it. Calls are those of GroupedFilters.
class FilterSetFile {
 public:
  /// Throws Error(corrupt), named after the container.
  explicit FilterSetFile(const file::Container& container);

  /// Null of the other layout.
  const GroupedFilters* rows() const noexcept { return std::get_if<GroupedFilters>(&set_); }
  const FilterBlocks* blocks() const noexcept { return std::get_if<FilterBlocks>(&set_); }
  /// Whether the filters of two can be in one set.
  bool is_like(const FilterSetFile& other) const noexcept;

  std::uint64_t groups() const noexcept {
    return std::visit([](const auto& set) { return set.header().groups; }, set_);
  }
  /// Designed, in units of 2^-64.
  std::uint64_t rate() const noexcept {
    return std::visit([](const auto& set) { return set.header().rate; }, set_);
  }
  std::string_view name(std::uint64_t group) const noexcept {
    return std::visit([&](const auto& set) { return set.name(group); }, set_);
  }
  std::optional<std::uint64_t> find(std::string_view name) const noexcept {
    return std::visit([&](const auto& set) { return set.find(name); }, set_);
  }
  /// About in proportion to the keys of a group. Throws Error(corrupt).
  std::uint64_t size_of(std::uint64_t group) const {
    return std::visit([&](const auto& set) { return set.size_of(group); }, set_);
  }
  void check() const {
    std::visit([](const auto& set) { set.check(); }, set_);
  }
  void contains(std::uint64_t group, std::span<const Hash128> hashes,
                bool* answers) const noexcept {
    std::visit([&](const auto& set) { set.contains(group, hashes, answers); }, set_);
  }
  void groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps, std::size_t words,
                 const std::uint64_t* numbers) const noexcept {
    std::visit([&](const auto& set) { set.groups_of(hashes, bitmaps, words, numbers); }, set_);
  }
  void count(std::span<const Hash128> hashes, std::uint32_t* counts,
             const std::uint64_t* numbers) const noexcept {
    std::visit([&](const auto& set) { set.count(hashes, counts, numbers); }, set_);
  }

 private:
  using Set = std::variant<GroupedFilters, FilterBlocks>;
  static Set open(const file::Container& container);

  Set set_;
  base::ByteView form_;  ///< the bytes of the header that tell it
};

}  // namespace crivo::filter_set
