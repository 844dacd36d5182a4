// SPDX-License-Identifier: Apache-2.0
/// The queries that an index answers beside keys, by its kind.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "crivo/index.hpp"

namespace crivo::index {

/// The queries of ordered stores and dictionaries, beside keys.
inline constexpr std::array kOrderQueries{
    QueryInfo{"prefix", "P", "all keys that begin with P (dictionary, ordered store)"},
    QueryInfo{"range", "A B", "all keys from A on and below B (dictionary, ordered store)", 2},
    QueryInfo{"lower-bound", "K", "all keys from K on (dictionary, ordered store)"}};

/// The queries of an exact set, beside keys.
inline constexpr std::array kExactQueries{
    QueryInfo{.name = "at",
              .value_name = "NAME=VALUE",
              .help = "of an exact set: all keys are of this epoch (name KEYS then, or -)"},
    QueryInfo{.name = "group-delimiter",
              .value_name = "C",
              .help = "of an exact set with groups: what is between group and key"}};

/// Questions to a filter set beside keys.
inline constexpr std::array kFilterSetQueries{
    QueryInfo{.name = "group",
              .value_name = "NAME",
              .help = "ask one group, or a column of Parquet (name KEYS then, or -)"}};

/// The queries of a dictionary, beside keys.
inline constexpr std::array kDictionaryQueries{
    QueryInfo{"ids", "IDS", "the keys of these ids: numbers, files of them, or - (dictionary)", 0,
              true},
    kOrderQueries[0],
    kOrderQueries[1],
    kOrderQueries[2],
    QueryInfo{"longest-prefix", "TEXT", "the longest key that TEXT begins with (dictionary)"},
    QueryInfo{"prefixes-of", "TEXT",
              "all keys that TEXT begins with, the longest first (dictionary)"},
    QueryInfo{"fuzzy", "N TEXT", "all keys that at most N edits (0 to 2) make of TEXT (dictionary)",
              2},
    QueryInfo{"from-id", "ID", "all keys from this id on (dictionary)"},
};

/// Throws Error(usage) for one of the queries that has not as many values as it takes.
void check_values(std::span<const QueryInfo> queries, std::string_view name, std::size_t values);

}  // namespace crivo::index
