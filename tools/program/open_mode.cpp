// SPDX-License-Identifier: Apache-2.0
#include "program/open_mode.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "program/option_groups.hpp"
#include "program/values.hpp"

namespace crivo::cli {

namespace {

/// The mode of a store's data that is mapped, and whose records are asked for in no order.
constexpr std::string_view kRandom = "random";

/// A mode for all files, or one for the index of a store and one for its data.
struct Modes {
  std::string index;
  std::optional<std::string> data;
};

Modes split(const std::string& text) {
  constexpr std::string_view kIndex = "index=";
  constexpr std::string_view kData = ",data=";
  const std::size_t data = text.find(kData);
  if (!text.starts_with(kIndex) || data == std::string::npos) return {text, {}};
  return {text.substr(kIndex.size(), data - kIndex.size()), text.substr(data + kData.size())};
}

CLI::Validator modes_value() {
  const auto check = [one = one_of({"mapped", "preload", "lock", "copy", "read"}),
                      index = one_of({"mapped", "preload", "lock", "copy", "read", "checked",
                                      "unchecked"})](std::string& text) {
    Modes modes = split(text);
    std::string problem = index(modes.index);
    if (problem.empty() && modes.data && modes.data != kRandom) problem = one(*modes.data);
    return problem;
  };
  return {check, ""};
}

OpenMode named(std::string_view mode) {
  if (mode == "preload") return OpenMode::preload;
  if (mode == "lock") return OpenMode::lock;
  if (mode == "copy") return OpenMode::copy;
  if (mode == "read") return OpenMode::read;
  return OpenMode::mapped;
}

}  // namespace

void OpenModeOption::add_to(CLI::App& command) {
  const InGroup opening(command, kOpeningGroup);
  command
      .add_option("--open", mode,
                  "how the file gets into memory: mapped reads only what lookups touch; preload "
                  "reads all of it first (for many keys); lock also keeps it there (see ulimit "
                  "-l); copy reads and verifies all of it, so that no writer can do harm; read "
                  "reads and verifies what lookups touch, page by page, and maps nothing; checked "
                  "(the default but of MPHFs and filters) and unchecked are mapped, and compare "
                  "what lookups read with its sums, or not. Of a store, index=MODE,data=MODE: each "
                  "by itself (data=random: mapped)")
      ->transform(modes_value())
      ->type_name("MODE")
      ->capture_default_str();
}

OpenOptions OpenModeOption::options() const {
  const Modes modes = split(mode);
  OpenOptions options{named(modes.index)};
  if (modes.index == "checked") options.check = OpenCheck::checked;
  if (modes.index == "unchecked") options.check = OpenCheck::unchecked;
  if (modes.data) options.data_mode = named(*modes.data);
  return options;
}

}  // namespace crivo::cli
