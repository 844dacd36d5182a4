// SPDX-License-Identifier: Apache-2.0
/// --from: keys that are in no key file.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::cli {

/// Writes "a, b or c".
std::string any_of(std::span<const std::string_view> names);

/// LMDB environments, and collections whose keys are extracted.
struct FromOption {
  /// Adds --from and the options that go with it.
  void add_to(CLI::App& command);
  bool is_given() const noexcept { return !from.empty(); }
  /// The keys that `paths` hold, and `take` of each entry. Equal keys of a collection are taken
  /// once, and the options note what made them. Throws Error(usage), and what lmdb_entries() and
  /// extracted_keys() throw.
  KeyInput input(const std::vector<std::string>& paths, LmdbTake take, BuildOptions& options);
  /// The same of keys of a filter set, each in the group that its file is (`by_file`, as it must
  /// be), read as `format` says.
  KeyInput grouped_input(const std::vector<std::string>& paths, bool by_file,
                         const KeyFormat& format, BuildOptions& options);
  /// Adds what was wrong with a collection to the warnings. False where files of it are cut short.
  bool report(std::vector<Warning>& warnings) const;

  std::string from;
  std::string database;
  bool binary_values = false;
  std::string what;
  bool no_fold = false;
  ExtractOptions extract;
  ExtractSummary extracted;

 private:
  KeyInput entries(const std::vector<std::string>& paths, LmdbTake take) const;
};

}  // namespace crivo::cli
