// SPDX-License-Identifier: Apache-2.0
/// A file that keeps the highest sequence seen of each name: lines of a number, TAB and a name,
/// after one that says what the file is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace crivo::trust {

using KnownSequences = std::map<std::string, std::uint64_t, std::less<>>;

/// Throws Error(corrupt), which begins with `name`.
KnownSequences decode_known(std::string_view text, const std::string& name);
std::string encode(const KnownSequences& known);

/// Throws Error(corrupt): a lower sequence than the one that the file `state` has of `name`;
/// Error(io).
void refuse_older(const std::filesystem::path& state, const std::string& name,
                  std::uint64_t sequence, const std::string& signature);

/// The same, and puts a higher one into the file, which is replaced at once, under its lock.
/// Throws also Error(usage) for what cannot be replaced.
void note_sequence(const std::filesystem::path& state, const std::string& name,
                   std::uint64_t sequence, const std::string& signature);

}  // namespace crivo::trust
