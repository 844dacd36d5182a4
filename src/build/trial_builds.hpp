// SPDX-License-Identifier: Apache-2.0
/// How long a build takes, and how large its output is, by small builds of a sample of its input.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "build/build_frame.hpp"
#include "crivo/build/build.hpp"
#include "input/count_keys.hpp"

namespace crivo::index {

/// Seconds or bytes, as they grow with the number of keys.
struct Growth {
  double fixed = 0;
  double per_key = 0;

  /// The seconds that so many keys take, which so many threads share.
  double of(double keys, double threads = 1) const noexcept {
    return fixed + per_key * keys / threads;
  }
};

/// All on one thread, whatever the build is to have: few keys hardly keep several at work. Beside
/// it comes what memory takes that is reached for the first time, as a build of few keys in a
/// process that has made others finds most of its memory there.
struct TrialBuilds {
  Growth reading;   ///< seconds, beside counting the keys: hashing above all
  Growth building;  ///< seconds of what follows
  Growth bytes;
  double keys = 1;  ///< of the largest that was tried
  double seconds_per_fresh_byte = 0;
};

/// Builds from `some`, as it is to be tried, to an output that is thrown away.
using TrialBuild = std::function<BuildSummary(const KeyInput& some, const Output& nowhere,
                                              const BuildOptions& how)>;

/// Has `build` make builds of `kept`, which are in the order of hashes, or of the first of them,
/// again and again for at most some 0.2 s: with the options of the whole build, but on one thread.
/// Their cost is that on a machine that nobody else uses. Nothing where they fail, as the whole
/// build will.
std::optional<TrialBuilds> try_builds(std::span<const input::KeptUnits::Unit> kept, Units units,
                                      const base::BuildContext& context,
                                      const BuildOptions& options, const TrialBuild& build);

/// Returns what keeping the sample of so many offered units cost, which a build does not do: it is
/// kept once more, by one thread.
double keeping_seconds(std::span<const input::KeptUnits::Unit> kept, std::uint64_t offered);

/// An estimate, to two digits.
double rounded_seconds(double seconds);

/// How fast the directory for temporary files is.
struct DiskSpeed {
  double sync_seconds = 0;      ///< of making a small file durable
  double seconds_per_byte = 0;  ///< written, or read
};

/// Writes a few MB to a file there and reads them. Zeros where that fails: a build need not spill.
DiskSpeed measure_disk(const std::filesystem::path& directory);

}  // namespace crivo::index
