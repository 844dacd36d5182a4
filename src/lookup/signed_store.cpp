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

void refuse_uncovered(const StoreFiles& files, const char* what) {
  const auto refuse = [&](const std::string& store, const std::string& why) {
    throw Error(ErrorKind::usage,
                files.index.name() + ": a store " + store + " cannot " + what + ", as " + why);
  };
  if (!files.backend.is_signed)
    refuse("of the backend " + std::string(files.backend.name),
           "a signature would not cover its records; build it with the backend flat");
  if (files.updates) refuse("with updates", "a signature would not cover them; compact it first");
}

}  // namespace crivo::index
