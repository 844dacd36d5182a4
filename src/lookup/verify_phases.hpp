// SPDX-License-Identifier: Apache-2.0
/// The phases of verify(), for calls that have others beside them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "crivo/progress.hpp"
#include "file/container.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

using Phases = std::vector<Progress::Phase>;

/// The phases of verify_opened(), with the nanoseconds that they take.
Phases verify_phases_of(const file::Container& container, unsigned threads);
Phases verify_phases_of(const StoreFiles& files, unsigned threads);

/// Of BLAKE2b on one thread, measured.
inline constexpr double kSignedByteCost = 1.25;

/// What is kept of a stored key and its record: a half of each one's hash.
struct StoredPair {
  std::uint64_t key = 0;
  std::uint64_t record = 0;
};

/// Reads every byte and checks it; of a store, with the updates that are committed by now.
/// `stored`, where it is not empty, has room for every rank, and is filled by rank. Returns the
/// number of records. Throws Error(corrupt) that says what is damaged.
void verify_opened(const file::Container& container, const base::BuildContext& context);
std::uint64_t verify_opened(const StoreFiles& files, const base::BuildContext& context,
                            std::span<StoredPair> stored = {});

/// What `resources` ask for; `own` takes the place of a progress that they lack.
base::BuildContext context_of(const Resources& resources, Progress& own);

}  // namespace crivo::index
