// SPDX-License-Identifier: Apache-2.0
#include "crivo/kinds.hpp"

#include <array>
#include <string>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "opening/choices.hpp"

namespace crivo {
namespace {

/// A kind, and its builds with choices in the place of options.
struct KindRow {
  std::string_view name;
  KindInfo info;
  std::vector<Choice> (*choices)();
  BuildSummary (*build)(const KeyInput& input, const Output& output, const Choices& choices,
                        const BuildOptions& options);
  BuildEstimate (*estimate)(const KeyInput& input, const Choices& choices,
                            const BuildOptions& options);
  BuildSummary (*build_part)(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const Choices& choices,
                             const BuildOptions& options);
};

template <typename Options, auto kBuild, auto kEstimate, auto kBuildPart>
constexpr KindRow row(const KindInfo& info) {
  using index::options_of;
  return {
      info.name,
      info,
      [] { return index::rows_of<Options>(); },
      [](const KeyInput& input, const Output& output, const Choices& choices,
         const BuildOptions& options) {
        return kBuild(input, output, options_of<Options>(choices), options);
      },
      [](const KeyInput& input, const Choices& choices, const BuildOptions& options) {
        return kEstimate(input, options_of<Options>(choices), options);
      },
      [](const std::filesystem::path& directory, const Share& shard,
         const std::filesystem::path& output, const Choices& choices, const BuildOptions& options) {
        return kBuildPart(directory, shard, output, options_of<Options>(choices), options);
      }};
}

constexpr std::array kRows{
    row<MphfOptions, build_mphf, estimate_mphf, build_mphf_part>(
        {.name = "mphf",
         .help = "key -> rank in [0, n): a minimal perfect hash function\n\n"
                 "Without --signature any key gets some rank, also one outside the set.\n"
                 "Example: crivo build mphf urls.txt.zst -o urls.crv --signature 16"}),
    row<FilterOptions, build_filter, estimate_filter, build_filter_part>(
        {.name = "filter",
         .help = "key -> \"maybe\", or surely absent\n\n"
                 "Example: crivo build filter urls.txt -o urls.crv --fpr 0.001",
         .counts = true}),
    row<MapOptions, build_map, estimate_map, build_map_part>(
        {.name = "map",
         .help = "key -> its line number, or a value of your own\n\n"
                 "Line numbers count from 0. With --values the input is key<TAB>integer lines. "
                 "Without\n"
                 "--signature any key gets some value, also one outside the set.\n"
                 "Example: crivo build map terms.tsv -o terms.crv --values --signature 16\n"
                 "         crivo build map prices.csv -o prices.crv --values --csv --header "
                 "--column 1,4\n"
                 "           --value-type decimal --scale 2"}),
    row<StoreOptions, build_store, estimate_store, build_store_part>(
        {.name = "store",
         .help = "key -> record, from lines key<TAB>record\n\n"
                 "The output is a directory with an index file and, by default, an LMDB "
                 "environment.\n"
                 "Example: crivo build store pages.tsv -o pages && crivo get pages "
                 "http://a.example/",
         .input = KindInput::records}),
};

constexpr auto kInfos = [] {
  std::array<KindInfo, kRows.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

const KindRow& find_row(std::string_view kind) {
  return base::find_named(kRows, "kind", kind);
}

}  // namespace

std::span<const KindInfo> kinds() noexcept {
  return kInfos;
}

std::vector<Choice> choices_of(std::string_view kind) try {
  return find_row(kind).choices();
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build(std::string_view kind, const KeyInput& input, const Output& output,
                   const Choices& choices, const BuildOptions& options) try {
  return find_row(kind).build(input, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate(std::string_view kind, const KeyInput& input, const Choices& choices,
                       const BuildOptions& options) try {
  return find_row(kind).estimate(input, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_part(std::string_view kind, const std::filesystem::path& directory,
                        const Share& shard, const std::filesystem::path& output,
                        const Choices& choices, const BuildOptions& options) try {
  return find_row(kind).build_part(directory, shard, output, choices, options);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
