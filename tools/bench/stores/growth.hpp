// SPDX-License-Identifier: Apache-2.0
/// What a store's growth takes: nine tenths of the records are built, the keys of the last tenth
/// are set, 1,000 a commit, beside LMDB and SQLite; then the store is asked beside one that was
/// built of all, opened with none of its pages in memory, and compacted.
#pragma once

#include <filesystem>
#include <string>

namespace crivo::bench {

/// Prints a line a figure. Throws std::runtime_error where an answer is wrong.
void measure_growth(const std::string& records, const std::filesystem::path& directory);

}  // namespace crivo::bench
