// SPDX-License-Identifier: Apache-2.0
/// --group and --group-by-file: where a key's group stands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crivo/build/keys.hpp"
#include "program/common.hpp"

namespace crivo::cli {

struct GroupOption {
  /// Adds --group.
  void add_to(CLI::App& command);
  /// Adds --group-by-file, of filter sets, behind it.
  void add_by_file(CLI::App& command);
  bool is_given() const noexcept { return !column.empty(); }
  /// formats.format(), of pairs of a key and its group where --group is given. Throws Error(usage)
  /// for what no columns can be.
  KeyFormat format(const FormatOptions& formats) const;
  /// Gives an input of files that format, and its groups.
  void put_in(KeyInput& input, const FormatOptions& formats) const;

  std::string column;
  bool by_file = false;
};

}  // namespace crivo::cli
