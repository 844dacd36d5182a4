// SPDX-License-Identifier: Apache-2.0
#include "input/input_parts.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "input/compression.hpp"

namespace crivo::input {

/// Whether the blocks of a file can be cut by many threads at once.
bool is_cut_in_blocks(const InputFile& file, const UnitFraming& framing) {
  if (!file.is_regular() || framing.delimiters != 1 || framing.needs_beginning()) return false;
  std::array<char, kMaxMagicBytes> head{};
  const std::size_t size = file.read_at(0, head);
  return detect_compression(std::span(head).first(size), true) == Compression::none;
}

std::uint64_t block_bytes_of(const UnitFraming& framing) noexcept {
  if (framing.delimiter) return kChunkBytes;
  return std::max<std::uint64_t>(kChunkBytes / framing.width, 1) * framing.width;
}

std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes) {
  std::vector<InputPart> parts(1);
  const auto end_part = [&](std::size_t file, std::uint64_t end_block) {
    parts.back().last_file = file;
    parts.back().end_block = end_block;
    const bool ended = end_block == UINT64_MAX;
    parts.push_back({.first_file = ended ? file + 1 : file, .first_block = ended ? 0 : end_block});
  };
  for (std::size_t f = 0; f < paths.size(); ++f) {
    const InputFile file(paths[f]);
    if (!is_cut_in_blocks(file, framing)) {
      parts.back().bytes += file.size();
    } else {
      const std::uint64_t block_bytes = block_bytes_of(framing);
      for (std::uint64_t block = 0; block * block_bytes < file.size(); ++block) {
        if (parts.back().bytes >= bytes && block != 0) end_part(f, block);
        parts.back().bytes += std::min(block_bytes, file.size() - block * block_bytes);
      }
    }
    if (parts.back().bytes >= bytes && f + 1 < paths.size()) end_part(f, UINT64_MAX);
  }
  parts.back().last_file = paths.size() - 1;
  return parts;
}

}  // namespace crivo::input
