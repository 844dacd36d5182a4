// SPDX-License-Identifier: Apache-2.0
/// Which bytes of ribbon sections a key's lookup looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crivo/detail/hash128.hpp"
#include "file/container.hpp"
#include "file/fetched_file.hpp"

namespace crivo::index {

/// The sections in which lookups look.
std::vector<const file::SectionEntry*> structures_of(const file::Container& container);

/// Tells which part of a ribbon section a lookup needs, so that what it needs of several sections
/// is asked for at once.
class LookupParts {
 public:
  /// Makes sure that all is here which structures over these sections look at when they are opened:
  /// header and partition table of ribbon sections, all of others. Throws what require() does, and
  /// Error(corrupt). `file` must outlive this.
  static std::vector<LookupParts> require_opening(
      file::FetchedFile& file, const std::vector<const file::SectionEntry*>& sections);

  static bool is_ribbon(const file::SectionEntry& section) noexcept;

  /// Returns the part of the section that the lookup of a key with that hash looks at.
  file::SectionPart of(detail::Hash128 hash) const noexcept;

 private:
  explicit LookupParts(const file::SectionEntry& section) : section_(&section) {}
  void read_header(const file::Container& container);

  const file::SectionEntry* section_;
  const std::byte* table_ = nullptr;  ///< of a ribbon section in partitions; null: all was read
  std::uint64_t table_at_ = 0;
  unsigned partition_bits_ = 0;
};

}  // namespace crivo::index
