// SPDX-License-Identifier: Apache-2.0
/// The work of inspect(), on files that are open: so that who has more to do with a file need not
/// open it by name again, where another may stand by then. First of every file, then of each kind.
#pragma once

#include <string>
#include <string_view>

#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/store_files.hpp"
#include "records/codec.hpp"

namespace crivo::index {

/// Opens the structure in the file as a lookup would. Throws Error(corrupt), or Error(usage) for
/// the index of a store, which is described with its environment.
FileInfo describe(const file::Container& container);
/// The same of a chain whose files are open, or of a file that is none, and has no links.
FileInfo describe(const file::Container& container, const std::vector<file::Container>& links);
FileInfo describe(const StoreFiles& files);

/// Adds what there is to say of a store's records: their backend, and how they are encoded.
void describe_records(std::string_view backend, const records::CodecHead& codec,
                      std::uint64_t dictionary_bytes, FileInfo& info);
/// Adds the bits of the signatures; where there are none, a person reads `otherwise`.
void describe_signatures(unsigned bits, std::string_view otherwise, FileInfo& info);

/// Adds a row with a number.
inline void add_count(const char* name, const char* text, std::uint64_t count, FileInfo& info) {
  info.rows.push_back({name, count, text, std::to_string(count)});
}

/// The name under which the structure was built, which its section type alone need not tell.
std::string built_as(const FileInfo& info, const char* metadata_name, std::string_view otherwise);

/// The keys that an exact set may take for members.
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
void describe_filter_set(const file::Container& container, FileInfo& info);
void describe_exact(const file::Container& container, FileInfo& info);
void describe_delta(const file::Container& container, FileInfo& info);
void describe_chain(const file::Container& container, FileInfo& info);
void describe_chain(const file::Container& container, const std::vector<file::Container>& files,
                    FileInfo& info);
void describe_row_chain(const file::Container& container, const std::vector<file::Container>& files,
                        FileInfo& info);

void describe_filter_set_chain(const file::Container& container,
                               const std::vector<file::Container>& files, FileInfo& info);

/// Verifies what holds a filter set together. Throws Error(corrupt).
void verify_filter_set(const file::Container& container, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress);
/// Verifies the files of a chain. Throws Error(corrupt).
void verify_links(const file::Container& chain, unsigned threads,
                  const std::function<void(std::uint64_t)>& progress);

}  // namespace crivo::index
