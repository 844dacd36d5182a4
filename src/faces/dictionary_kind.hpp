// SPDX-License-Identifier: Apache-2.0
/// What inspect() and verify() do with a dictionary, as describe_kinds.hpp and check_answers.hpp
/// have it of other kinds, and what it can be asked beside keys.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "faces/check_answers.hpp"
#include "faces/opened.hpp"
#include "file/container.hpp"

namespace crivo::index {

void describe_dictionary(const file::Container& container, FileInfo& info);
/// Checks that the nodes of the directory are well-formed.
void verify_dictionary(const file::Container& container, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress);
/// A bit of memory for each id.
std::uint64_t check_dictionary(const file::Container& container, const KeyInput& input,
                               const CheckOptions& options, const base::BuildContext& context);

std::unique_ptr<OpenIndex> open_dictionary(const std::filesystem::path& path,
                                           const OpenOptions& options);
/// What its OpenIndex answers.
inline constexpr std::array kDictionaryQueries{
    QueryInfo{"ids", "IDS", "the keys of these ids: numbers, files of them, or - (dictionary)", 0},
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

}  // namespace crivo::index
