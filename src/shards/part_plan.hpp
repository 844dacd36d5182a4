// SPDX-License-Identifier: Apache-2.0
/// What a file is made of that is built in parts: the same for who builds a part, and who merges
/// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builds/memory_need.hpp"
#include "crivo/build.hpp"
#include "file/container.hpp"
#include "structures/csf/histogram.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

/// A section that is built in parts.
struct PartedSection {
  std::uint32_t type = 0;
  std::unique_ptr<Assembly> assembly;
};

struct PartPlan {
  file::Header header;       ///< kind, number of keys, type of values
  std::string algorithm;     ///< or type of filter
  file::Metadata metadata;   ///< of the file: all choices, as they are in the build id
  unsigned value_width = 0;  ///< of a map
  MemoryNeed memory;         ///< of the build on one machine
  /// How often each of its values occurs, if that is what its sections are planned by.
  std::optional<csf::Histogram> counts;
  std::vector<PartedSection> sections;
  /// Of an MPHF, whose parts then have them too; it is the first section.
  unsigned signature_bits = 0;
  mphf::FunctionAssembly* function = nullptr;
  /// Of a store, which has its records beside: the partitions are those of the function.
  std::optional<StoreOptions> store;
};

/// Of n keys. `value_bits` are those of the largest value, `counts` those of given values or none.
/// Throws Error(usage) for options that are
/// unsound, and for what takes the whole set at once.
PartPlan plan_of(const MphfOptions& mphf, std::uint64_t n);
PartPlan plan_of(const FilterOptions& filter, std::uint64_t n);
PartPlan plan_of(const MapOptions& map, std::uint64_t n, unsigned value_bits,
                 const std::optional<csf::Histogram>& counts);
/// `cell_bits` are of the parts' ranks (mphf::PartContents).
PartPlan plan_of(const StoreOptions& store, std::uint64_t n, unsigned cell_bits = 0);
/// The one of a file with this metadata, which are its choices alone. Throws Error(corrupt) if no
/// build records just these.
PartPlan plan_of_metadata(file::Kind kind, const file::Metadata& metadata, std::uint64_t n,
                          unsigned value_width, const std::optional<csf::Histogram>& counts);

}  // namespace crivo::index
