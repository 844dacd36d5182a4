// SPDX-License-Identifier: Apache-2.0
/// What inspect() says of each kind, beside what it says of every file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/rank_index.hpp"

namespace crivo::index {

/// The name under which the structure was built, which its section type alone need not tell.
std::string built_as(const FileInfo& info, const char* metadata_name, std::string_view otherwise);

/// What an exact set may take for members.
inline constexpr std::string_view kOutsideKeys = "keys outside the universe";

/// Adds the bits of signatures that are all that refuses absent keys.
void describe_refusals(unsigned bits, std::string_view otherwise, FileInfo& info);
/// Adds by how much a map is larger than one could be: the values (or, compressed, their entropy)
/// and the signatures of its keys.
void describe_overhead(double least_bits, FileInfo& info);

/// Adds the algorithm that built an index of ranks, and its parameters.
void describe_ranks(const RankIndex& ranks, FileInfo& info);

/// Adds the parameters of a dictionary.
void describe_dictionary(const dictionary::Reader& reader, FileInfo& info);

// Each opens the structure as a lookup would. Throw Error(corrupt).
void describe_mphf(const file::Container& container, FileInfo& info);
void describe_filter(const file::Container& container, FileInfo& info);
void describe_map(const file::Container& container, FileInfo& info);
void describe_rows(const file::Container& container, FileInfo& info);
void describe_exact(const file::Container& container, FileInfo& info);
void describe_delta(const file::Container& container, FileInfo& info);
void describe_chain(const file::Container& container, FileInfo& info);
void describe_row_chain(const file::Container& container, const std::vector<file::Container>& files,
                        FileInfo& info);

/// Verifies the files of a chain. Throws Error(corrupt).
void verify_links(const file::Container& chain, unsigned threads,
                  const std::function<void(std::uint64_t)>& progress);

}  // namespace crivo::index
