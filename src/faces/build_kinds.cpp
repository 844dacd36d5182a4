// SPDX-License-Identifier: Apache-2.0
/// Builds of a kind that is known by its name alone.
#include <string>

#include "base/as_error.hpp"
#include "crivo/kinds.hpp"
#include "opening/index_kind.hpp"

namespace crivo {

using index::find_index_kind;

std::vector<Choice> choices_of(std::string_view kind) try {
  return find_index_kind(kind).choices();
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build(std::string_view kind, const KeyInput& input, const Output& output,
                   const Choices& choices, const BuildOptions& options) try {
  return find_index_kind(kind).build(input, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate(std::string_view kind, const KeyInput& input, const Choices& choices,
                       const BuildOptions& options) try {
  return find_index_kind(kind).estimate(input, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_part(std::string_view kind, const std::filesystem::path& directory,
                        const Share& shard, const std::filesystem::path& output,
                        const Choices& choices, const BuildOptions& options) try {
  const index::IndexKind& row = find_index_kind(kind);
  if (row.build_part == nullptr)
    throw Error(ErrorKind::usage, "the kind " + std::string(kind) + " is not built in shards");
  return row.build_part(directory, shard, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
