// SPDX-License-Identifier: Apache-2.0
/// Files cut in blocks, and an input in parts of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "input/byte_source.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// A block, and a chunk, have about so many bytes: they stay in a core's second-level cache.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

/// Whether the blocks of a file can be cut by many threads at once.
bool is_cut_in_blocks(const InputFile& file, const UnitFraming& framing);
/// Whole units, of fixed width.
std::uint64_t block_bytes_of(const UnitFraming& framing) noexcept;

/// A range of an input: some blocks of a file, whole files, and blocks of another. Files that are
/// not cut in blocks are in one part whole.
struct InputPart {
  std::size_t first_file = 0;
  std::uint64_t first_block = 0;  ///< of the first file
  std::size_t last_file = SIZE_MAX;
  std::uint64_t end_block = UINT64_MAX;  ///< of the last file
  std::uint64_t bytes = 0;               ///< about, of the files
};

/// Cuts an input of regular files into parts of `bytes` or, where a file cannot be cut, more: the
/// same parts as long as files do not change. Throws Error(io).
std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes);

}  // namespace crivo::input
