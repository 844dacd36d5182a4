// SPDX-License-Identifier: Apache-2.0
/// A row a kind says how a build makes it: all that builds by a kind's name finds it here.
#include <algorithm>
#include <array>
#include <string>

#include "base/named_rows.hpp"
#include "build/check_answers.hpp"
#include "build/choices.hpp"
#include "build/kind_builder.hpp"
#include "crivo/dictionary.hpp"
#include "lookup/queries.hpp"

namespace crivo {
namespace {

using index::KindBuilder;
using index::options_of;

/// A row whose choices are in the structure `Options`. Without kBuildPart the kind is not built in
/// shards.
template <typename Options, auto kBuild, auto kEstimate, auto kBuildPart = nullptr>
constexpr KindBuilder row(file::Kind kind, const KindInfo& info,
                          decltype(KindBuilder::check) check) {
  KindBuilder row{.kind = kind, .name = info.name, .info = info, .check = check};
  row.choices = [] { return index::rows_of<Options>(); };
  row.build = [](const KeyInput& input, const Output& output, const Choices& choices,
                 const BuildOptions& options) {
    return kBuild(input, output, options_of<Options>(choices), options);
  };
  row.estimate = [](const KeyInput& input, const Choices& choices, const BuildOptions& options) {
    return kEstimate(input, options_of<Options>(choices), options);
  };
  if constexpr (kBuildPart != nullptr) {
    row.build_part = [](const std::filesystem::path& directory, const Share& shard,
                        const std::filesystem::path& output, const Choices& choices,
                        const BuildOptions& options) {
      return kBuildPart(directory, shard, output, options_of<Options>(choices), options);
    };
  }
  return row;
}

constexpr KindBuilder kMphf = row<MphfOptions, build_mphf, estimate_mphf, build_mphf_part>(
    file::Kind::mphf,
    {.name = "mphf",
     .help = "key -> rank in [0, n): a minimal perfect hash function\n\n"
             "Without --signature every key gets some rank, even if it is not in the "
             "set.\nExample: crivo build mphf urls.txt.zst -o urls.crv --signature 16",
     .takes_passes = true},
    index::check_mphf);

constexpr KindBuilder kFilter =
    row<FilterOptions, build_filter, estimate_filter, build_filter_part>(
        file::Kind::filter,
        {.name = "filter",
         .help = "key -> \"maybe\", or surely absent\n\n"
                 "Example: crivo build filter urls.txt -o urls.crv --fpr 0.001",
         .excluding = "exact",
         .takes_passes = true},
        index::check_filter);

constexpr KindBuilder kMap = row<MapOptions, build_map, estimate_map, build_map_part>(
    file::Kind::map,
    {.name = "map",
     .help = "key -> its line number, or a value of your own\n\n"
             "Line numbers count from 0. With --values the input is key<TAB>integer lines. "
             "Without\n--signature every key gets some value, even if it is not in the "
             "set.\nExample: crivo build map terms.tsv -o terms.crv --values --signature 16\n"
             "         crivo build map prices.csv -o prices.crv --values --csv --header "
             "--column 1,4\n"
             "           --value-type decimal --scale 2",
     .takes_passes = true},
    index::check_map);

constexpr KindBuilder kRows = row<RowsOptions, build_rows, estimate_rows, build_rows_part>(
    file::Kind::rows,
    {.name = "rows",
     .help = "key -> its row in a table that lies as files: file, row group, row\n\n"
             "The input is key<TAB>file<TAB>row lines, rows from 0 in each file, or columns and "
             "members\nthat --column key,file,row or --json-key, --json-value and --json-row name. "
             "Row groups come\nfrom --row-groups.\n"
             "Example: crivo build rows ids.tsv -o ids.crv\n"
             "         crivo build rows ids.csv --csv --header --column "
             "id,filename,file_row_number -o ids.crv",
     .input = KindInput::rows},
    index::check_rows);

constexpr KindBuilder kFilterSet =
    row<FilterSetOptions, build_filter_set, estimate_filter_set, build_filter_set_part>(
        file::Kind::filter_set,
        {.name = "filterset",
         .help =
             "group -> a filter of its keys: thousands of filters in one file\n\n"
             "The input is group<TAB>key lines, or columns and members that --column key,group "
             "or\n--json-key and --json-value name; with --group-by-file each file is a group. A "
             "name has 1 to\n255 bytes, no TAB, LF or NUL. Equal keys of a group are one. `crivo "
             "query` answers\nkey<TAB>group, a line for each group that may hold the key; --group "
             "asks one, --all and\n--threshold find those that hold many keys.\n"
             "Example: crivo build filterset pairs.tsv -o files.crv --fpr 1%\n"
             "         crivo build filterset day-*.txt.gz --group-by-file -o days.crv\n"
             "         crivo query files.crv -k 4711",
         .input = KindInput::groups,
         .queries = index::kFilterSetQueries},
        index::check_filter_set);

constexpr KindBuilder kStore = row<StoreOptions, build_store, estimate_store, build_store_part>(
    file::Kind::store,
    {.name = "store",
     .help = "key -> record, from lines key<TAB>record\n\n"
             "The output is a directory with an index file and, by default, an LMDB "
             "environment. With\n"
             "--backend flat --ordered the records are in the order of their keys, and get, dump "
             "and query\n"
             "take --prefix, --range and --lower-bound.\n"
             "Example: crivo build store pages.tsv -o pages && crivo get pages "
             "http://a.example/\n"
             "         crivo build store pages.tsv -o pages --backend flat --ordered\n"
             "         crivo dump pages --prefix http://a.",
     .input = KindInput::records,
     .queries = index::kOrderQueries},
    nullptr);

constexpr KindBuilder kDictionary =
    row<DictionaryOptions, build_dictionary, estimate_dictionary, build_dictionary_part>(
        file::Kind::dictionary,
        {.name = "dictionary",
         .help =
             "key <-> id, its rank in byte order; also prefixes and ranges\n\n"
             "Ids count from 0. `crivo query` answers key<TAB>id; with --ids, --prefix, --range,\n"
             "--lower-bound, --longest-prefix, --prefixes-of or --fuzzy it answers id<TAB>key.\n"
             "With --values the value follows the id.\n"
             "Example: crivo build dictionary words.txt -o words.crv && crivo query words.crv "
             "--prefix ap\n"
             "         crivo build dictionary words.txt --hashed -o fast.crv\n"
             "         crivo query fast.crv --hashed -k apple",
         .queries = index::kDictionaryQueries},
        index::check_dictionary);

/// Members with their universe.
BuildSummary build_exact_set(const KeyInput& members, const Output& output,
                             const ExactOptions& exact, const BuildOptions& options) {
  return build_exact(members, output, exact, options);
}

constexpr KindBuilder kExact = row<ExactOptions, build_exact_set, estimate_exact, build_exact_part>(
    file::Kind::exact,
    {.name = "exact",
     .help =
         "key -> member or other, without errors, in a known universe\n\n"
         "The universe is all keys that will be asked, with the members or without. With --group "
         "keys\nbelong to groups; keys of unknown groups are \"outside\". Other keys outside the "
         "universe are\nmostly \"other\": --fpr bounds how often they are \"member\".\nExample: "
         "crivo build exact --members revoked.txt --universe all.txt -o set.crv\n"
         "         crivo build exact --members old.tsv --universe all.tsv --group 1 -o set.crv",
     .input = KindInput::universe,
     .queries = index::kExactQueries},
    index::check_exact);

constexpr std::array kKinds{kMphf, kFilter, kFilterSet, kMap, kRows, kStore, kDictionary, kExact};

/// The row of a kind that is built in ways of its own.
constexpr KindBuilder kChain{
    .kind = file::Kind::chain, .name = "chain", .info = {}, .check = index::check_chain};

constexpr auto kInfos = [] {
  std::array<KindInfo, kKinds.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kKinds[i].info;
  return infos;
}();

}  // namespace

namespace index {

const KindBuilder& find_kind_builder(std::string_view name) {
  return base::find_named(kKinds, "kind", name);
}

const KindBuilder* find_kind_builder(file::Kind kind) noexcept {
  if (kind == kChain.kind) return &kChain;
  const auto* const row = std::ranges::find(kKinds, kind, &KindBuilder::kind);
  return row != kKinds.end() ? row : nullptr;
}

}  // namespace index

std::span<const KindInfo> kinds() noexcept {
  return kInfos;
}

}  // namespace crivo
