// SPDX-License-Identifier: Apache-2.0
/// A shard's part of the file of all keys, whatever its kind.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "build/recipe.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/shards.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

using MakeRecipe = std::function<Recipe(const KeyDirectory& keys)>;

/// Builds the part of `shard` from the keys dealt out in the directory `path`, and with
/// `with_values` their values. `make_recipe` gets what is known of all keys, and refuses a
/// directory that is not of the kind. Throws as build_part() of crivo/build/shards.hpp does.
BuildSummary build_shard(const std::filesystem::path& path, const Share& shard,
                         const std::filesystem::path& output, BuildOptions options,
                         bool with_values, const MakeRecipe& make_recipe);

/// Whether a part of this build and shard is there already: then another takes its place.
bool is_same_part(const std::filesystem::path& path, const file::Header& header,
                  const Share& shard) noexcept;

/// Throws Error(usage) for a number that no shard has.
void check_shard(const Share& shard);

/// Throws Error(usage) unless the directory's keys are hashed as the structure wants them.
void check_hash(const KeyDirectory& directory, hashing::KeyHashId own,
                const std::string& structure);

/// Throws Error(usage): the directory is not one for this build.
[[noreturn]] void refuse_directory(const std::filesystem::path& path, const std::string& problem,
                                   const char* remedy = "");

}  // namespace crivo::index
