// SPDX-License-Identifier: Apache-2.0
/// Building a file again from what it records, to see that it is what its keys give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"
#include "crivo/keys.hpp"
#include "crivo/resources.hpp"
#include "crivo/warning.hpp"

namespace crivo {

struct ReproduceOptions {
  /// Choices about the input alone, which no file records: group_delimiter or strict of an exact
  /// set, sorted of a dictionary.
  Choices choices{};
  Resources resources{};
};

/// Where a file is not what was built again.
struct Difference {
  std::string file;  ///< its path
  std::string
      section{};  ///< its name; empty for the header and the table, and what has no sections
  std::uint64_t chunk = 0;  ///< of 65,536 bytes, of the section or the file, from 0
  std::uint64_t byte = 0;   ///< of the file, from 0: the first that differs
};

struct Reproduction {
  std::string kind;
  std::string build_id;
  std::uint64_t keys = 0;
  std::vector<std::string> compared{};  ///< the paths of the files
  /// Nothing where all files are the same. Sections come before the header, which has their
  /// checksums.
  std::optional<Difference> difference{};
  /// That libraries have other versions than when a store was built, or that its updates were not
  /// compared.
  std::vector<Warning> warnings{};
};

/// Builds `path`, an index file or a store's directory, again from `keys` with the seed, the
/// choices and the notes that it records, and compares. Equal keys are taken once, as builds either
/// refuse them or leave them out. The file is only read; the new one lies in the temporary
/// directory meanwhile, without a name. A store lies there in a directory of its own, which is
/// removed. Time and memory are those of the build.
///
/// Throws Error(mismatch) for other keys or values, before anything is built of them (for another
/// universe of an exact set: afterwards);
/// Error(usage) for what no single build wrote: a changed or united filter, a manifest, a part; and
/// what the open and the build throw.
CRIVO_API Reproduction reproduce(const std::filesystem::path& path, const KeyInput& keys,
                                 const ReproduceOptions& options = {});

}  // namespace crivo
