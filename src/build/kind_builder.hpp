// SPDX-License-Identifier: Apache-2.0
/// How each kind of index is built and checked with keys. Its reader is the row of
/// lookup/kinds.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/kinds.hpp"
#include "file/container.hpp"

namespace crivo::index {

struct CheckOptions;

struct KindBuilder {
  file::Kind kind;
  std::string_view name;
  KindInfo info;

  std::vector<Choice> (*choices)() = nullptr;
  BuildSummary (*build)(const KeyInput& input, const Output& output, const Choices& choices,
                        const BuildOptions& options) = nullptr;
  BuildEstimate (*estimate)(const KeyInput& input, const Choices& choices,
                            const BuildOptions& options) = nullptr;

  /// A shard's part of a build. Null where the kind is not built in shards.
  BuildSummary (*build_part)(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const Choices& choices,
                             const BuildOptions& options) = nullptr;
  /// check_mphf() or its like.
  std::uint64_t (*check)(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context) = nullptr;
};

/// Throws Error(usage), which lists the names, for another.
const KindBuilder& find_kind_builder(std::string_view name);
/// Null for a kind of file that is neither built by its name nor checked.
const KindBuilder* find_kind_builder(file::Kind kind) noexcept;

}  // namespace crivo::index
