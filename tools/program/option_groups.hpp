// SPDX-License-Identifier: Apache-2.0
/// Groups of options that many commands share. A command's --help names them in one line, and a
/// topic of `crivo help` explains them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace crivo::cli {

inline constexpr const char* kInputGroup = "Input";
inline constexpr const char* kOpeningGroup = "Opening";
inline constexpr const char* kOutputGroup = "Output";
inline constexpr const char* kResourcesGroup = "Resources";

/// Options that a command's --help describes, which is what others are by themselves.
inline constexpr const char* kListed = "Options";
/// The options that belong to the structure that is built, and to nothing else. No topic explains
/// them.
inline constexpr const char* kStructureGroup = "Structure";

/// Puts the options that are added to a command while this lives into a group.
class InGroup {
 public:
  InGroup(CLI::App& command, const char* group)
      : defaults_(*command.option_defaults()), before_(defaults_.get_group()) {
    defaults_.group(group);
  }
  ~InGroup() { defaults_.group(before_); }
  InGroup(const InGroup&) = delete;
  InGroup& operator=(const InGroup&) = delete;

 private:
  CLI::OptionDefaults& defaults_;
  std::string before_;
};

}  // namespace crivo::cli
