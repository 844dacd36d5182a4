// SPDX-License-Identifier: Apache-2.0
#include "input/places.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "input/delimiter_scan.hpp"
#include "input/input_bytes.hpp"
#include "input/input_parts.hpp"

namespace crivo::input {

std::uint64_t count_units_before(const std::string& path, const UnitFraming& framing,
                                 std::uint64_t offset) {
  if (!framing.delimiter) return offset / framing.width;
  InputFile file(path);
  const OpenedBytes opened = open_bytes(file);
  std::vector<char> buffer(kChunkBytes);
  std::uint64_t delimiters = 0;
  while (offset != 0) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(offset, buffer.size()));
    const std::size_t got = opened.bytes->read(std::span(buffer).first(wanted));
    if (got == 0) break;
    delimiters += count_delimiters(std::span(buffer).first(got), *framing.delimiter);
    offset -= got;
  }
  return delimiters / framing.delimiters;
}

std::uint64_t decoded_before(const std::string& path, char delimiter, std::uint64_t begin) {
  std::vector<char> buffer(kChunkBytes);
  const auto bytes_of = [&](OpenedBytes opened) {
    std::uint64_t bytes = 0;
    while (const std::size_t got = opened.bytes->read(buffer)) bytes += got;
    return bytes;
  };
  // The ranges before it and behind it have every unit once.
  InputFile before(path);
  return bytes_of(open_streams(before, delimiter, 0, begin));
}

std::string input_name(const Sources& sources, std::size_t file) {
  if (sources.source) return sources.source->name();
  return sources.paths[file] == "-" ? "(standard input)" : sources.paths[file];
}

std::string unit_name(const UnitFraming& framing, std::uint64_t line) {
  if (framing.counted) return "[" + std::to_string(line) + "]";
  return (framing.is_lines() ? "line " : "key ") + std::to_string(line + 1);
}

std::string place_name(const Sources& sources, const UnitFraming& framing, const Place& place) {
  const std::string name = input_name(sources, place.file);
  if (framing.counted) return name + unit_name(framing, place.line);
  return framing.is_lines() ? name + ":" + std::to_string(place.line + 1)
                            : name + ": " + unit_name(framing, place.line);
}

ErrorPlace error_place(const Sources& sources, const Place& place) {
  return {.file = sources.are_files() ? sources.paths[place.file] : "", .line = place.line + 1};
}

void fail_at_place(const Sources& sources, const UnitFraming& framing, const Place& place,
                   const std::string& problem, const std::string& remedy) {
  Place known = place;
  if (known.line == kUnknownLine) {
    known.line = count_units_before(sources.paths[place.file], framing, place.offset);
  }
  ErrorPlace at = error_place(sources, known);
  at.remedy = remedy;
  throw Error(ErrorKind::bad_input, place_name(sources, framing, known) + ": " + problem,
              std::move(at));
}

}  // namespace crivo::input
