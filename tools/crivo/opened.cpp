// SPDX-License-Identifier: Apache-2.0
#include "crivo/opened.hpp"

#include <string>

#include "crivo/inspect.hpp"
#include "crivo/values.hpp"

namespace crivo::cli {

Opened open_any(const std::filesystem::path& path, const OpenOptions& options) {
  const std::string kind = inspect(path).kind;
  if (kind == "store") return Store::open(path, options);
  if (kind == "filter") return Filter::open(path, options);
  if (kind == "map") return Map::open(path, options);
  return Mphf::open(path, options);  // which refuses anything else
}

void OpenModeOption::add_to(CLI::App& command) {
  command
      .add_option("--open", mode,
                  "how the file gets into memory: mapped reads only what lookups touch; preload "
                  "reads all of it first (for many keys); lock also keeps it there (see ulimit "
                  "-l); copy reads and verifies all of it, so that no writer can do harm")
      ->transform(one_of({"mapped", "preload", "lock", "copy"}))
      ->type_name("MODE")
      ->capture_default_str();
}

OpenOptions OpenModeOption::options() const {
  if (mode == "preload") return {OpenMode::preload};
  if (mode == "lock") return {OpenMode::lock};
  if (mode == "copy") return {OpenMode::copy};
  return {OpenMode::mapped};
}

}  // namespace crivo::cli
