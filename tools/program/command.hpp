// SPDX-License-Identifier: Apache-2.0
/// The subcommands of `crivo`, one source file each.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

#include "program/action.hpp"

namespace crivo::cli {

/// Each adds its subcommand to `app`, which sets `action` if it is the one named.
void add_build(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_get(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_squash(CLI::App& app, Action& action);
void add_apply(CLI::App& app, Action& action);
void add_sign(CLI::App& app, Action& action);
void add_publish(CLI::App& app, Action& action);
void add_fetch(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_filter_command(CLI::App& app, Action& action);
void add_store_command(CLI::App& app, Action& action);
void add_rows_command(CLI::App& app, Action& action);
void add_filter_set_command(CLI::App& app, Action& action);
void add_dump(CLI::App& app, Action& action);
void add_sort(CLI::App& app, Action& action);
void add_extract(CLI::App& app, Action& action);
void add_dedup(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_gen(CLI::App& app, Action& action);
void add_partition(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_manifest(CLI::App& app, Action& action);
/// Likewise, to `crivo filter`.
void add_filter_advise(CLI::App& filter, Action& action);
void add_filter_diff(CLI::App& filter, Action& action);

/// The group of those that a command has itself.
inline constexpr const char* kOwnCommands = "Commands";

/// A subcommand, by its group in the help and what adds it; `own` are those that it has itself,
/// which are added to it apart.
struct Command {
  std::string_view name;
  const char* group = kOwnCommands;
  void (*add)(CLI::App& app, Action& action) = nullptr;
  std::span<const Command> (*own)() = nullptr;
  void (*add_named)(CLI::App& app, Action& action, std::string_view name) = nullptr;  ///< instead
};

/// In the order of the help.
std::span<const Command> build_commands();
std::span<const Command> filter_commands();

}  // namespace crivo::cli
