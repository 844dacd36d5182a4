// SPDX-License-Identifier: Apache-2.0
/// How files of each format are told, opened and built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/bytes.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/foreign.hpp"

namespace crivo::foreign {

struct FormatRow {
  FormatInfo info;
  /// Whether a file may be of it, by its first kSignBytes or what there is of them, and its size.
  bool (*is_of)(base::ByteView first, std::uint64_t bytes) noexcept = nullptr;
  std::unique_ptr<OpenIndex> (*open)(const std::filesystem::path& path,
                                     const OpenOptions& options) = nullptr;
  /// Null where keys are not what it is made of.
  BuildSummary (*build)(const KeyInput& input, const Output& output, const Choices& choices,
                        const BuildOptions& options) = nullptr;
};

inline constexpr std::size_t kSignBytes = 64;

std::unique_ptr<OpenIndex> open_clubcard(const std::filesystem::path& path,
                                         const OpenOptions& options);
std::unique_ptr<OpenIndex> open_clubcard_index(const std::filesystem::path& path,
                                               const OpenOptions& options);
std::unique_ptr<OpenIndex> open_fingerprints(const std::filesystem::path& path,
                                             const OpenOptions& options);
std::unique_ptr<OpenIndex> open_puffin(const std::filesystem::path& path,
                                       const OpenOptions& options);
std::unique_ptr<OpenIndex> open_parquet(const std::filesystem::path& path,
                                        const OpenOptions& options);

}  // namespace crivo::foreign
