// SPDX-License-Identifier: Apache-2.0
/// Builds of a kind that is known by its name alone.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "build/build_frame.hpp"
#include "build/kind_builder.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/kinds.hpp"
#include "lookup/store_files.hpp"

namespace crivo {
namespace {

/// The number of an enumerator, by the names of all.
std::size_t number_of(std::span<const std::string_view> names, std::string_view what,
                      std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) base::refuse_name(what, name, names);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

using index::find_kind_builder;

std::vector<Choice> choices_of(std::string_view kind) try {
  return find_kind_builder(kind).choices();
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build(std::string_view kind, const KeyInput& input, const Output& output,
                   const Choices& choices, const BuildOptions& options) try {
  return find_kind_builder(kind).build(input, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate(std::string_view kind, const KeyInput& input, const Choices& choices,
                       const BuildOptions& options) try {
  return find_kind_builder(kind).estimate(input, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_part(std::string_view kind, const std::filesystem::path& directory,
                        const Share& shard, const std::filesystem::path& output,
                        const Choices& choices, const BuildOptions& options) try {
  const index::KindBuilder& row = find_kind_builder(kind);
  if (row.build_part == nullptr)
    throw Error(ErrorKind::usage, "the kind " + std::string(kind) + " is not built in shards");
  return row.build_part(directory, shard, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

ValueType value_type_named(std::string_view name) try {
  return ValueType(static_cast<std::uint8_t>(number_of(value_types(), "type of values", name)));
} catch (...) {
  base::rethrow_as_error();
}

RepeatedRecords repeated_records_named(std::string_view name) try {
  return RepeatedRecords(number_of(repeated_records(), "value for repeated records", name));
} catch (...) {
  base::rethrow_as_error();
}

void check_output(std::string_view kind, const KeyInput& input, const Output& output,
                  const BuildOptions& options) try {
  const index::BuildFrame frame(options);
  if (kind == "store") {
    (void)frame.outputs().directory(output, index::store_file_families(), input);
  } else {
    (void)frame.outputs().file(output, input);
  }
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
