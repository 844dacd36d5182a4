// SPDX-License-Identifier: Apache-2.0
#include "crivo/open_mode.hpp"

#include "crivo/values.hpp"

namespace crivo::cli {

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
