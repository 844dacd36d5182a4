// SPDX-License-Identifier: Apache-2.0
/// A row a kind says what a reader does with it: all that opens a file finds it here.

#include "lookup/kinds.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/as_error.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/opened.hpp"
#include "lookup/store_files.hpp"

namespace crivo {
namespace {

using index::IndexKind;

std::unique_ptr<OpenIndex> open_delta(const std::filesystem::path& path, const OpenOptions&) {
  throw Error(ErrorKind::usage, path.string() + ": a delta is asked in a chain; make one first");
}

constexpr std::array kRows{
    IndexKind{.kind = file::Kind::mphf,
              .name = "mphf",
              .open = index::open_mphf,
              .describe = index::describe_mphf},
    IndexKind{.kind = file::Kind::filter,
              .name = "filter",
              .open = index::open_filter,
              .describe = index::describe_filter},
    IndexKind{.kind = file::Kind::map,
              .name = "map",
              .open = index::open_map,
              .describe = index::describe_map},
    IndexKind{.kind = file::Kind::rows,
              .name = "rows",
              .open = index::open_rows,
              .describe = index::describe_rows},
    IndexKind{.kind = file::Kind::filter_set,
              .name = "filterset",
              .open = index::open_filter_set,
              .describe = index::describe_filter_set,
              .verify_more = index::verify_filter_set},
    IndexKind{.kind = file::Kind::store, .name = "store", .open = index::open_store},
    IndexKind{.kind = file::Kind::dictionary,
              .name = "dictionary",
              .open = index::open_dictionary,
              .describe = index::describe_dictionary,
              .verify_more = index::verify_dictionary},
    IndexKind{.kind = file::Kind::exact,
              .name = "exact",
              .open = index::open_exact,
              .describe = index::describe_exact},
    IndexKind{.kind = file::Kind::delta,
              .name = "delta",
              .open = open_delta,
              .describe = index::describe_delta},
    IndexKind{.kind = file::Kind::chain,
              .name = "chain",
              .open = index::open_chain,
              .describe = index::describe_chain,
              .verify_more = index::verify_links},
};

}  // namespace

namespace index {

const IndexKind* find_index_kind(file::Kind kind) noexcept {
  const auto* const row = std::ranges::find(kRows, kind, &IndexKind::kind);
  return row != kRows.end() ? row : nullptr;
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
  if (index::is_store(path)) return index::open_store(path, options);
  const auto container = file::Container::open(path, file::Loading::mapped);
  return index::index_kind_of(container).open(path, options);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
