// SPDX-License-Identifier: Apache-2.0
/// What inspect() says, of files that are open: so that who has more to do with a file need not
/// open it by name again, where another may stand by then.
#pragma once

#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/store_files.hpp"
#include "records/codec_section.hpp"

namespace crivo::index {

/// Opens the structure in the file as a lookup would. Throws Error(corrupt), or Error(usage) for
/// the index of a store, which is described with its environment.
FileInfo describe(const file::Container& container);
FileInfo describe(const StoreFiles& files);

/// Names the codec of a store's records, and adds what there is to say of it.
void describe(const records::CodecSection& section, std::string& codec,
              std::vector<Parameter>& parameters);

}  // namespace crivo::index
