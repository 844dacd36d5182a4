// SPDX-License-Identifier: Apache-2.0
/// The build of a file of any kind on one machine.
#pragma once

#include <functional>
#include <vector>

#include "build/build_frame.hpp"
#include "build/recipe.hpp"
#include "build/run.hpp"
#include "input/hash_keys.hpp"
#include "stream/key_slice.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {

using UseSources = std::function<void(const Sources& sources)>;

/// The parts of a build that differ between kinds.
struct FileBuild {
  file::Header header{};     ///< kind, key hash, type of values
  file::Metadata choices{};  ///< every one
  Units units = Units::keys;
  bool keeps_keys = false;  ///< as those of BuildFrame::prepare()
  MemoryNeed memory{};
  std::vector<PhaseCost> phases{};
  bool takes_passes = false;  ///< `read` heeds BuildOptions::passes

  /// Has `use` work on the keys of the input, and what stands beside them.
  std::function<void(const KeyInput& input, const input::HashOptions& options,
                     const base::BuildContext& context, const input::UseKeys& use)>
      read{};
  std::function<Recipe(const input::KeySet& set, const base::BuildContext& context)> plan{};
  /// Has `use` work with the recipe's sources; those of BuiltParts where there is none.
  std::function<void(const Recipe& recipe, const input::KeySet& set,
                     const base::BuildContext& context, const UseSources& use)>
      with_sources{};

  /// Or, of texts, which have no parts: reads them, and plans what is written of them.
  struct Texts {
    InputRead read;
    stream::KeySums sums;
    Recipe recipe;
  };
  std::function<Texts(const PreparedInput& input, BuildFrame& frame)> read_texts{};
};

BuildSummary build_file(BuildFrame& frame, const KeyInput& input, OutputFiles& files,
                        const FileBuild& build, const BuildOptions& options);

/// Builds a file of any kind but a store: makes the frame, and the file.
BuildSummary build_file(const KeyInput& input, const Output& output, const FileBuild& build,
                        const BuildOptions& options, const hashing::HashFamily& hash);

}  // namespace crivo::index
