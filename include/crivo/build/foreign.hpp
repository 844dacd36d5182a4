// SPDX-License-Identifier: Apache-2.0
/// Builds of files in formats of others (crivo/foreign.hpp). Of libcrivo-foreign.
///
///     crivo::KeyInput revoked{.paths = {"revoked.tsv"}};
///     revoked.universe = std::make_shared<const crivo::KeyInput>(all);
///     crivo::foreign::build("clubcard", revoked, "base.filter", {{"covers",
///     "LOG=0:1790000000000"}});
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/foreign.hpp"

namespace crivo::foreign {

/// Builds a file of one of formats() from keys, whole or not at all, as a build of its kind would:
/// the same input, and of the kind's choices (choices_of()) those that the format has a place for.
/// Throws Error: usage (another format; a choice or option that it has no place for), bad_input
/// (what it cannot hold, by file and line, before anything is built), io, cancelled.
CRIVO_API BuildSummary build(std::string_view format, const KeyInput& input, const Output& output,
                             const Choices& choices = {}, const BuildOptions& options = {});

/// Writes upki's index of clubcards that lie in its directory: for each log, which of them cover
/// it. Throws Error: usage (a name that the format cannot hold, another directory), corrupt, io.
CRIVO_API void write_clubcard_index(std::span<const std::filesystem::path> clubcards,
                                    const std::filesystem::path& output,
                                    const BuildOptions& options = {});

}  // namespace crivo::foreign
