// SPDX-License-Identifier: Apache-2.0
#include "lookup/signed_store.hpp"

#include <system_error>

#include "crivo/error.hpp"

namespace crivo::index {

std::filesystem::path signed_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / kIndexName : path;
}

std::string signed_name(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void refuse_changing(const StoreFiles& files, const char* what) {
  if (!files.backend.is_updatable) return;
  throw Error(ErrorKind::usage, files.index.name() + ": a store of the backend " +
                                    std::string(files.backend.name) + " cannot " + what +
                                    ", as its records change in place; build it with the backend "
                                    "flat");
}

}  // namespace crivo::index
