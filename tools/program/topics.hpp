// SPDX-License-Identifier: Apache-2.0
/// The topics that `crivo help` explains beside commands: the kinds of index, the options that
/// commands share, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace crivo::cli {

struct Topic {
  std::string_view name;     ///< as in `crivo help input`
  std::string_view summary;  ///< a line
  std::string_view text;
  const char* group = nullptr;               ///< the group of options that it explains
  void (*options)(CLI::App& app) = nullptr;  ///< adds those
};

/// In the order of the help.
std::span<const Topic> topics();
/// Null if there is none.
const Topic* topic_named(std::string_view name);
/// The topic that explains a group of options. Null if none does.
const Topic* topic_of_group(std::string_view group);

/// Their names and summaries, as --help lists commands.
std::string list_of_topics();
/// Returns what `crivo help TOPIC` prints.
std::string page_of(const Topic& topic);

}  // namespace crivo::cli
