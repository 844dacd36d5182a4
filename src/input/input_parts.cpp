// SPDX-License-Identifier: Apache-2.0
#include "input/input_parts.hpp"

#include <algorithm>

namespace crivo::input {

bool is_cut_in_blocks(const InputFile& file, const UnitFraming& framing) {
  if (!file.is_regular() || framing.delimiters != 1 || framing.needs_beginning()) return false;
  return compression_of(file) == Compression::none;
}

std::uint64_t block_bytes_of(const UnitFraming& framing) noexcept {
  if (framing.delimiter) return kChunkBytes;
  return std::max<std::uint64_t>(kChunkBytes / framing.width, 1) * framing.width;
}

std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes, const InputPart& whole) {
  const std::size_t last_file = std::min(paths.size() - 1, whole.last_file);
  std::vector<InputPart> parts{{.first_file = whole.first_file, .first_byte = whole.first_byte}};
  const auto end_part = [&](std::size_t file, std::uint64_t end) {
    parts.back().last_file = file;
    parts.back().end_byte = end;
    const bool ended = end == UINT64_MAX;
    parts.push_back({.first_file = ended ? file + 1 : file, .first_byte = ended ? 0 : end});
  };
  for (std::size_t f = whole.first_file; f <= last_file; ++f) {
    const InputFile file(paths[f]);
    const std::uint64_t end = std::min(file.size(), whole.end_in(f));
    std::uint64_t next = std::min(whole.begin_in(f), end);
    if (!is_cut_in_blocks(file, framing)) {
      parts.back().bytes += end - next;
    } else {
      const std::uint64_t block_bytes = block_bytes_of(framing);
      while (next < end) {
        if (parts.back().bytes >= bytes && next != whole.begin_in(f)) end_part(f, next);
        const std::uint64_t block_end = std::min(end, (next / block_bytes + 1) * block_bytes);
        parts.back().bytes += block_end - next;
        next = block_end;
      }
    }
    if (parts.back().bytes >= bytes && f < last_file) end_part(f, UINT64_MAX);
  }
  parts.back().last_file = last_file;
  parts.back().end_byte = whole.end_in(last_file);
  return parts;
}

}  // namespace crivo::input
