// SPDX-License-Identifier: Apache-2.0
/// The builds of crivo/build/build.hpp with any key hash function, for tests of what hashes can do.
#pragma once

#include <filesystem>

#include "crivo/build/build.hpp"
#include "file/output_target.hpp"
#include "input/hash_keys.hpp"

namespace crivo::index {

/// The functions of these names in crivo/build/build.hpp call these with hash_key() as `hash`. Only
/// with that do the files answer for keys; with any other they answer for hash(key, seed).
BuildSummary build_mphf(const KeyInput& input, const Output& output, const MphfOptions& mphf,
                        const BuildOptions& options, const hashing::HashFamily& hash);
BuildSummary build_filter(const KeyInput& input, const Output& output, const FilterOptions& filter,
                          const BuildOptions& options, const hashing::HashFamily& hash);
BuildSummary build_map(const KeyInput& input, const Output& output, const MapOptions& map,
                       const BuildOptions& options, const hashing::HashFamily& hash);
BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options, const hashing::HashFamily& hash);
BuildSummary build_filter_set(const KeyInput& input, const Output& output,
                              const FilterSetOptions& set, const BuildOptions& options,
                              const hashing::HashFamily& hash);
BuildSummary build_exact(const KeyInput& input, const Output& output, const ExactOptions& exact,
                         const BuildOptions& options, const hashing::HashFamily& hash);
/// To a function too, which gets nothing: all is done but the naming of the files, as a trial.
/// `held` is the lock of the output, if the caller has it.
BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const hashing::HashFamily& hash,
                         const file::OutputLock* held = nullptr);
/// As crivo::build_store(), for a caller that holds the lock of the output.
BuildSummary build_store(const KeyInput& input, const Output& output, const StoreOptions& store,
                         const BuildOptions& options, const file::OutputLock& held);

}  // namespace crivo::index
