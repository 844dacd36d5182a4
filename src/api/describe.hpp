/// What inspect() says, of files that are open: so that who has more to do with a file need not
/// open it by name again, where another may stand by then.
#pragma once

#include "api/store_files.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"

namespace crivo::api {

/// Opens the structure in the file as a lookup would. Throws Error(corrupt), or Error(usage) for
/// the index of a store, which is described with its environment.
FileInfo describe(const file::Container& container);
FileInfo describe(const StoreFiles& files);

}  // namespace crivo::api
