// SPDX-License-Identifier: Apache-2.0
/// What inspect() says, of files that are open: so that who has more to do with a file need not
/// open it by name again, where another may stand by then.
#pragma once

#include <string_view>

#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/store_files.hpp"
#include "records/codec_section.hpp"

namespace crivo::index {

/// Opens the structure in the file as a lookup would. Throws Error(corrupt), or Error(usage) for
/// the index of a store, which is described with its environment.
FileInfo describe(const file::Container& container);
FileInfo describe(const StoreFiles& files);

/// Adds what there is to say of a store's records: their backend, and how they are encoded.
void describe_records(std::string_view backend, const records::CodecSection& section,
                      FileInfo& info);
/// Adds the bits of the signatures; where there are none, a person reads `otherwise`.
void describe_signatures(unsigned bits, std::string_view otherwise, FileInfo& info);

}  // namespace crivo::index
