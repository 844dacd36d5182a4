// SPDX-License-Identifier: Apache-2.0
/// Builds of any kind by its name, with choices by theirs: for programs that take both from a
/// command line, a file or another language. build_mphf() and its like do the same for options that
/// a program names in its source. And advice on which filter to build.
///
///     crivo::build("filter", {.paths = {"keys.txt"}}, "keys.crv", {{"type", "ribbon"}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
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
  groups,    ///< keys, each with the name of its group before it
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
  bool takes_passes = false;  ///< BuildOptions::passes, and KeyInput::command
};

/// Lists all kinds, in the order of `crivo build --help`.
CRIVO_API std::span<const KindInfo> kinds() noexcept;

/// Lists the choices of a kind, in the order of --help, with their types and defaults; the first is
/// its algorithm or type, where it has some. Throws Error(usage), which lists the kinds, for
/// another name.
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

/// Says what a filter is to do.
struct FilterNeeds {
  std::uint64_t keys = 0;   ///< the most that it is to hold
  double fpr = 1.0 / 256;   ///< the highest false-positive rate to allow
  bool is_mutable = false;  ///< keys are to be added and removed, once it is built
  bool unites = false;      ///< it is to be united and intersected with others
  /// How many keys will be asked, where these are known, the filter's among them; 0: they are not.
  std::uint64_t universe = 0;
};

/// Describes a filter that could be built.
struct FilterCandidate {
  FilterOptions options;  ///< for build_filter()
  std::string name;       ///< the type, and what else is chosen: "cuckoo, semi-sorted"
  double bits_per_key = 0;
  std::uint64_t bytes = 0;  ///< of all keys
  double fpr = 0;           ///< designed
  /// Time, as a multiple of that of type ribbon: of a lookup, one at a time, and of a build once
  /// the keys are hashed and sorted. Measured at 10^7 keys; it differs between machines.
  double lookup_cost = 0;
  double build_cost = 0;
  bool adds = false;  ///< keys can be added to the built filter
  bool removes = false;
  bool counts = false;
  bool unites = false;
  std::string problem;  ///< why it will not do; empty where it will
};

struct FilterAdvice {
  /// Those that will do first, each part by ascending size.
  std::vector<FilterCandidate> candidates;
  std::optional<std::size_t> choice;  ///< the smallest that will do; none if none will
  std::string reason;                 ///< a sentence or two on the choice
  /// The bits of an exact set (build_exact()) over FilterNeeds::universe, which answers these keys
  /// without error; 0 where it will not do.
  double exact_bits_per_key = 0;
  std::uint64_t exact_bytes = 0;
  bool exact_is_smaller = false;  ///< than the choice
};

/// Chooses which filter to build. Throws Error(usage) if the rate is none that a filter can be
/// asked for.
CRIVO_API FilterAdvice advise_filter(const FilterNeeds& needs);

}  // namespace crivo
