// SPDX-License-Identifier: Apache-2.0
/// Builds of any kind by its name, with choices by theirs: for programs that take both from a
/// command line, a file or another language. build_mphf() and its like do the same for options that
/// a program names in its source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/index.hpp"

namespace crivo {

/// Says what the build of a kind reads.
enum class KindInput : std::uint8_t {
  keys,      ///< or keys with values, by a choice
  rows,      ///< keys, each with a file and the number of a row in it
  records,   ///< keys, each with a record
  universe,  ///< members, and the keys that are asked for (KeyInput::universe)
};

/// Describes a kind of index that can be built.
struct KindInfo {
  std::string_view name;
  std::string_view help;  ///< what it is for, and an example for the program
  KindInput input = KindInput::keys;
  std::span<const QueryInfo> queries = {};  ///< what OpenIndex::query() takes
  /// The kind that is built where some keys must not be found, of them and these; empty: none.
  std::string_view excluding = {};
};

/// Lists all kinds, in the order of `crivo build --help`.
CRIVO_API std::span<const KindInfo> kinds() noexcept;

/// Lists the choices of a kind, in the order of --help, with their types and defaults; the first is
/// its algorithm or type, where it has some. Throws Error(usage), which lists the kinds, for another
/// name.
CRIVO_API std::vector<Choice> choices_of(std::string_view kind);

/// Does what build_mphf() and its like do. Throws Error(usage) too for a kind or a choice that
/// there is not, or a value that is none of its type.
CRIVO_API BuildSummary build(std::string_view kind, const KeyInput& input, const Output& output,
                             const Choices& choices = {}, const BuildOptions& options = {});
/// Does what estimate_mphf() and its like do, likewise.
CRIVO_API BuildEstimate estimate(std::string_view kind, const KeyInput& input,
                                 const Choices& choices = {}, const BuildOptions& options = {});
/// Does what build_mphf_part() and its like do, likewise.
CRIVO_API BuildSummary build_part(std::string_view kind, const std::filesystem::path& directory,
                                  const Share& shard, const std::filesystem::path& output,
                                  const Choices& choices = {}, const BuildOptions& options = {});

/// Find the one of value_types() and of repeated_records() of that name. Throw Error(usage), which
/// lists the names.
CRIVO_API ValueType value_type_named(std::string_view name);
CRIVO_API RepeatedRecords repeated_records_named(std::string_view name);

}  // namespace crivo
