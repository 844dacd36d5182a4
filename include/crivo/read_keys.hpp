// SPDX-License-Identifier: Apache-2.0
/// The keys of files and pipes, as the builders read them, for whoever looks them up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/keys.hpp"
#include "crivo/progress.hpp"

namespace crivo {

/// Some keys in the order of the input, valid until the call that is given them returns.
struct KeyBlock {
  std::vector<std::string_view> keys;
  /// records[i] is that of keys[i], and stands one delimiter behind it in memory; empty where keys
  /// alone are read.
  std::vector<std::string_view> records;
};
using VisitKeys = std::function<void(const KeyBlock& block)>;

/// Calls `visit` for block after block of the input's keys, on this thread; what a pipe has
/// delivered is not held back. Counts the bytes read in `progress`. What stands before a fault of
/// the input is visited before it is thrown, as Error(bad_input) with file and line; Error(io)
/// where reading fails. O(1) memory but for the longest key.
CRIVO_API void read_keys(const KeyInput& input, Progress& progress, const VisitKeys& visit);

/// The same of keys with their records: key TAB record lines, or key NUL record NUL. Throws
/// Error(usage) for keys of fixed width.
CRIVO_API void read_records(const KeyInput& input, Progress& progress, const VisitKeys& visit);

/// The size of all files together, if all are regular ones; nothing where one is a pipe or the
/// like. Throws Error(io) if one cannot be looked at.
CRIVO_API std::optional<std::uint64_t> input_bytes(const std::vector<std::string>& paths);

}  // namespace crivo
