// SPDX-License-Identifier: Apache-2.0
/// How long a build takes, and how large its output is, by small builds of a sample of its input.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "builds/build_frame.hpp"
#include "crivo/build.hpp"
#include "input/kept_units.hpp"

namespace crivo::index {

/// Seconds or bytes, as they grow with the number of keys.
struct Growth {
  double fixed = 0;
  double per_key = 0;

  double of(double keys) const noexcept { return fixed + per_key * keys; }
};

struct TrialBuilds {
  Growth seconds;         ///< of what a build takes beside counting its keys
  double read_share = 0;  ///< of these, the part of reading: hashing above all
  Growth bytes;
  double keys = 1;  ///< of the largest that was tried
};

/// How many threads are at work on average, in reading and in what follows, if nothing else is.
struct Parallelism {
  double read = 1;
  double build = 1;
};

/// Builds from `some`, as it is to be tried, to an output that is thrown away.
using TrialBuild = std::function<BuildSummary(const KeyInput& some, const Output& nowhere,
                                              const BuildOptions& how)>;

/// Has `build` make builds of `kept`, which are in the order of hashes, or of the first of them,
/// again and again for at most some 0.2 s: with the options of the whole build, on as many threads.
/// What they take is told as on a machine that nobody else uses. Nothing where they fail, as the
/// whole build will.
std::optional<TrialBuilds> try_builds(std::span<const input::KeptUnits::Unit> kept, Units units,
                                      const base::BuildContext& context,
                                      const Parallelism& parallelism, const BuildOptions& options,
                                      const TrialBuild& build);

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
