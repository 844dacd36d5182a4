// SPDX-License-Identifier: Apache-2.0
/// A kind of index: all that is done with those of one kind and not with others. The rows stand in
/// faces/kinds.cpp, which knows every kind's code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/progress.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "crivo/kinds.hpp"
#include "file/container.hpp"

namespace crivo::index {

struct CheckOptions;
struct KeyTotals;
struct Recipe;

struct IndexKind {
  file::Kind kind;
  std::string_view name;
  KindInfo info;

  std::vector<Choice> (*choices)() = nullptr;
  BuildSummary (*build)(const KeyInput& input, const Output& output, const Choices& choices,
                        const BuildOptions& options) = nullptr;
  BuildEstimate (*estimate)(const KeyInput& input, const Choices& choices,
                            const BuildOptions& options) = nullptr;

  /// A shard's part of a build, and the recipe of what the parts are merged to. Null where the kind
  /// is not built in shards.
  BuildSummary (*build_part)(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const Choices& choices,
                             const BuildOptions& options) = nullptr;
  Recipe (*plan_parts)(const Choices& choices, KeyTotals totals) = nullptr;

  /// Opens the file as it is, for lookups by the program and for `dump`.
  std::unique_ptr<OpenIndex> (*open)(const std::filesystem::path& path,
                                     const OpenOptions& options) = nullptr;
  /// Opens the structure as a lookup would, and adds what it says. Throws Error(corrupt). Null, as
  /// is check, for a kind whose index is one file among others.
  void (*describe)(const file::Container& container, FileInfo& info) = nullptr;
  /// Verifies what no sum of the file tells: other files that it names, or what holds a structure
  /// together. Throws Error(corrupt). Null where there is nothing.
  void (*verify_more)(const file::Container& container, unsigned threads,
                      const std::function<void(std::uint64_t)>& progress) = nullptr;
  /// What check_mphf() and its like do.
  std::uint64_t (*check)(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context) = nullptr;
};

/// Throws Error(usage), which lists the names, for another.
const IndexKind& find_index_kind(std::string_view name);
/// Null for a kind of file that is no index, such as a part.
const IndexKind* find_index_kind(file::Kind kind) noexcept;

/// Throws Error(usage) for a kind that is described with other files, such as the index of a store,
/// and for one in which no keys are looked up.
const IndexKind& index_kind_of(const file::Container& container);

}  // namespace crivo::index
