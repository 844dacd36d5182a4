// SPDX-License-Identifier: Apache-2.0
/// The checks of verify(), for files that are open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"
#include "file/container.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

using Phases = std::vector<Progress::Phase>;

/// The phases of verify_opened(), with the nanoseconds that they take.
Phases verify_phases_of(const file::Container& container, unsigned threads);
Phases verify_phases_of(const StoreFiles& files, unsigned threads);

/// The cost of BLAKE2b in nanoseconds a byte, measured on one thread.
inline constexpr double kSignedByteCost = 1.25;

/// Half a hash each of a stored key and its record.
struct StoredPair {
  std::uint64_t key = 0;
  std::uint64_t record = 0;
};

/// Reads every byte and checks it; of a store, as `records` of it are. `stored`, where it is not
/// empty, has room for every rank, and is filled by rank. Returns the number of records. Throws
/// Error(corrupt) that says what is damaged.
void verify_opened(const file::Container& container, const base::BuildContext& context);
std::uint64_t verify_opened(const StoreFiles& files, const records::RecordFile& records,
                            const base::BuildContext& context, std::span<StoredPair> stored);
/// As they are by now.
inline std::uint64_t verify_opened(const StoreFiles& files, const base::BuildContext& context) {
  return verify_opened(files, *files.records(), context, {});
}

/// Returns the context that `resources` ask for; `own` takes the place of a progress that they
/// lack.
base::BuildContext context_of(const Resources& resources, Progress& own);

/// Reads every byte and checks it. Throws Error(corrupt) that says what is damaged.
void check_file(const file::Container& container, const Resources& resources);
void check_file(const StoreFiles& files, const Resources& resources);

/// The same, if the options ask for it.
template <typename Opened>
void check_if_asked(const Opened& opened, const OpenOptions& options) {
  if (options.verify) check_file(opened, {});
}

}  // namespace crivo::index
