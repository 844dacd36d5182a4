// SPDX-License-Identifier: Apache-2.0
/// Files cut in blocks, an input in parts of these, and the share that one of several tasks reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/input_bytes.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// A block, and a chunk, have about so many bytes: they stay in a core's second-level cache.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
/// The bytes of a chunk from which on there is one at a time.
inline constexpr std::size_t kLongChunkBytes = std::size_t{4} << 20;

/// Whether the blocks of a file can be cut by many threads at once.
bool is_cut_in_blocks(const InputFile& file, const UnitFraming& framing);
/// Whole units, of fixed width.
std::uint64_t block_bytes_of(const UnitFraming& framing) noexcept;

/// A range of an input: the end of a file, whole files, and the beginning of another. Of a file
/// that is cut in blocks these are bytes, and the range has the units whose first byte is in it; of
/// a compressed one both bounds are begins of streams (parallel_bytes.hpp).
struct InputPart {
  std::size_t first_file = 0;
  std::uint64_t first_byte = 0;  ///< of the first file
  std::size_t last_file = SIZE_MAX;
  std::uint64_t end_byte = UINT64_MAX;  ///< of the last file
  std::uint64_t bytes = 0;              ///< about, of the files

  /// Where the range begins and ends in a file that it has.
  std::uint64_t begin_in(std::size_t file) const noexcept {
    return file == first_file ? first_byte : 0;
  }
  std::uint64_t end_in(std::size_t file) const noexcept {
    return file == last_file ? end_byte : UINT64_MAX;
  }
};

/// Cuts an input of regular files, or the range of it that is `whole`, into parts of `bytes` or,
/// where a file cannot be cut, more: the same parts as long as files do not change. Throws
/// Error(io).
std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes, const InputPart& whole = {});

/// Part `index` of `count` of an input of regular files, by its bytes; nothing where none are in
/// it. The parts of an input have each of its units once, and in its order, as long as the files do
/// not change. Plain files are cut at any unit. Where there are fewer files than parts, those of
/// several gzip members or zstd frames are cut where these begin, and for others that are in more
/// than one part throws Error(usage) that says why. Otherwise those are in the part whole that they
/// begin in. Throws Error(io).
std::optional<InputPart> share_of_input(const std::vector<std::string>& paths,
                                        const UnitFraming& framing, std::uint64_t index,
                                        std::uint64_t count);

}  // namespace crivo::input
