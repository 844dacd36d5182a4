// SPDX-License-Identifier: Apache-2.0
/// Each kind's row, in which all that knows kinds finds them.
#include "crivo/kinds.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "base/read_only.hpp"
#include "builds/recipe.hpp"
#include "crivo/dictionary.hpp"
#include "faces/check_answers.hpp"
#include "faces/describe_kinds.hpp"
#include "faces/dictionary_kind.hpp"
#include "faces/opened.hpp"
#include "opening/choices.hpp"
#include "opening/index_kind.hpp"
#include "opening/kinds.hpp"
#include "opening/store_files.hpp"

namespace crivo {
namespace {

using index::IndexKind;

/// What is done with a file of a kind.
struct Opening {
  decltype(IndexKind::open) open;
  decltype(IndexKind::describe) describe = nullptr;
  decltype(IndexKind::check) check = nullptr;
};

/// A row whose choices are in the structure `Options`. Without kBuildPart the kind is not built in
/// shards.
template <typename Options, auto kBuild, auto kEstimate, auto kBuildPart = nullptr>
constexpr IndexKind row(file::Kind kind, const KindInfo& info, const Opening& opening) {
  IndexKind row{.kind = kind,
                .name = info.name,
                .info = info,
                .open = opening.open,
                .describe = opening.describe};
  if constexpr (!base::kReadOnly) {
    using index::options_of;
    row.check = opening.check;
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
      // Of these no section has parts.
      if constexpr (!std::is_same_v<Options, ExactOptions> &&
                    !std::is_same_v<Options, DictionaryOptions>)
        row.plan_parts = [](const Choices& choices, index::KeyTotals totals) {
          return index::plan(options_of<Options>(choices), std::move(totals));
        };
    }
  }
  return row;
}

constexpr IndexKind kMphf = row<MphfOptions, build_mphf, estimate_mphf, build_mphf_part>(
    file::Kind::mphf,
    {.name = "mphf",
     .help = "key -> rank in [0, n): a minimal perfect hash function\n\n"
             "Without --signature any key gets some rank, also one outside the set.\n"
             "Example: crivo build mphf urls.txt.zst -o urls.crv --signature 16"},
    {index::open_mphf, index::describe_mphf, index::check_mphf});

constexpr IndexKind kFilter = row<FilterOptions, build_filter, estimate_filter, build_filter_part>(
    file::Kind::filter,
    {.name = "filter",
     .help = "key -> \"maybe\", or surely absent\n\n"
             "Example: crivo build filter urls.txt -o urls.crv --fpr 0.001"},
    {index::open_filter, index::describe_filter, index::check_filter});

constexpr IndexKind kMap = row<MapOptions, build_map, estimate_map, build_map_part>(
    file::Kind::map,
    {.name = "map",
     .help = "key -> its line number, or a value of your own\n\n"
             "Line numbers count from 0. With --values the input is key<TAB>integer lines. "
             "Without\n"
             "--signature any key gets some value, also one outside the set.\n"
             "Example: crivo build map terms.tsv -o terms.crv --values --signature 16\n"
             "         crivo build map prices.csv -o prices.crv --values --csv --header "
             "--column 1,4\n"
             "           --value-type decimal --scale 2"},
    {index::open_map, index::describe_map, index::check_map});

constexpr IndexKind kStore = row<StoreOptions, build_store, estimate_store, build_store_part>(
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
    {index::open_store});

constexpr IndexKind kDictionary = [] {
  IndexKind kind = row<DictionaryOptions, build_dictionary, estimate_dictionary,
                       build_dictionary_part>(
      file::Kind::dictionary,
      {.name = "dictionary",
       .help =
           "key <-> id, its rank in byte order; also prefixes and ranges\n\n"
           "Ids count from 0. `crivo query` answers key<TAB>id; with --ids, --prefix, --range,\n"
           "--lower-bound, --longest-prefix, --prefixes-of or --fuzzy it answers id<TAB>key.\n"
           "With --values the value stands behind the id.\n"
           "Example: crivo build dictionary words.txt -o words.crv && crivo query words.crv "
           "--prefix ap\n"
           "         crivo build dictionary words.txt --hashed -o words.crv && crivo query "
           "words.crv "
           "--hashed -k apple",
       .queries = index::kDictionaryQueries},
      {index::open_dictionary, index::describe_dictionary, index::check_dictionary});
  kind.verify_more = index::verify_dictionary;
  return kind;
}();

/// Members with their universe.
BuildSummary build_exact_set(const KeyInput& members, const Output& output,
                             const ExactOptions& exact, const BuildOptions& options) {
  return build_exact(members, output, exact, options);
}

constexpr IndexKind kExact = row<ExactOptions, build_exact_set, estimate_exact, build_exact_part>(
    file::Kind::exact,
    {.name = "exact",
     .help = "key -> member or other, without error, in a known universe\n\n"
             "The universe is what will be asked; members may be in its files or not. With "
             "--group a\n"
             "key belongs to a group, and one of an unknown group is \"outside\". Keys outside "
             "the universe\n"
             "are mostly \"other\": --fpr bounds how often they are \"member\".\n"
             "Example: crivo build exact --members revoked.txt --universe all.txt -o set.crv\n"
             "         crivo build exact --members old.tsv --universe all.tsv --group 1 -o set.crv",
     .input = KindInput::universe,
     .queries = index::kExactQueries},
    {index::open_exact, index::describe_exact, index::check_exact});

// What is built in ways of its own.
constexpr IndexKind kDelta = [] {
  IndexKind kind{.kind = file::Kind::delta, .name = "delta", .info = {}};
  kind.open = [](const std::filesystem::path& path,
                 const OpenOptions&) -> std::unique_ptr<OpenIndex> {
    throw Error(ErrorKind::usage,
                path.string() + ": a delta is asked in a chain, which crivo apply makes");
  };
  kind.describe = index::describe_delta;
  return kind;
}();
constexpr IndexKind kChain = [] {
  IndexKind kind{.kind = file::Kind::chain, .name = "chain", .info = {}};
  kind.open = index::open_chain;
  kind.describe = index::describe_chain;
  kind.verify_more = index::verify_links;
  kind.check = base::for_builds(index::check_chain);
  return kind;
}();
constexpr std::array kOtherRows{kDelta, kChain};

constexpr std::array kRows{kMphf, kFilter, kMap, kStore, kDictionary, kExact};

constexpr auto kInfos = [] {
  std::array<KindInfo, kRows.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

}  // namespace

namespace index {

const IndexKind& find_index_kind(std::string_view name) {
  return base::find_named(kRows, "kind", name);
}

const IndexKind* find_index_kind(file::Kind kind) noexcept {
  const auto* const row = std::ranges::find(kRows, kind, &IndexKind::kind);
  if (row != kRows.end()) return row;
  const auto* const other = std::ranges::find(kOtherRows, kind, &IndexKind::kind);
  return other != kOtherRows.end() ? other : nullptr;
}

const IndexKind& index_kind_of(const file::Container& container) {
  refuse_part(container);
  const file::Kind kind = container.header().kind;
  const IndexKind* const row = find_index_kind(kind);
  if (row != nullptr && row->describe != nullptr) return *row;
  throw Error(ErrorKind::usage, container.name() + ": is " +
                                    (kind == file::Kind::records ? "a part" : "the index") +
                                    " of a record store; name its directory");
}

}  // namespace index

std::unique_ptr<OpenIndex> OpenIndex::open(const std::filesystem::path& path,
                                           const OpenOptions& options) try {
  if (index::is_store(path)) return kStore.open(path, options);
  const auto container = file::Container::open(path, file::Loading::mapped);
  return index::index_kind_of(container).open(path, options);
} catch (...) {
  base::rethrow_as_error();
}

std::span<const KindInfo> kinds() noexcept {
  return kInfos;
}

}  // namespace crivo
