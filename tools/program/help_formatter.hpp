// SPDX-License-Identifier: Apache-2.0
/// How --help is laid out.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace crivo::cli {

/// CLI11's layout with lines of at most kColumns: descriptions of options are wrapped, and which
/// options go with which is left to the error that says so. A command is listed on one line, by the
/// first of its description. Of a group of options that a topic explains only the names are listed,
/// after the other groups.
class HelpFormatter : public CLI::Formatter {
 public:
  static constexpr std::size_t kColumns = 96;

  enum class Groups : bool { by_name, in_full };

  explicit HelpFormatter(Groups groups = Groups::by_name);
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  /// The groups of options, with an empty line before each.
  std::string make_option_groups(const CLI::App* command) const;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  Groups groups_;
};

}  // namespace crivo::cli
