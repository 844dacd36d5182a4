// SPDX-License-Identifier: Apache-2.0
#include "input/key_sample.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "input/input_bytes.hpp"
#include "input/input_parts.hpp"
#include "input/units.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kKeyPieceBytes = std::size_t{16} << 10;
constexpr std::uint64_t kMostKeyPieces = 512;  ///< of all files

/// The whole units of a piece of a file, which need not begin with one.
std::span<const char> units_in(std::span<const char> piece, std::uint64_t offset,
                               const UnitFraming& framing) {
  if (!framing.delimiter) {
    const std::size_t begin = std::min<std::size_t>(
        piece.size(), (framing.width - offset % framing.width) % framing.width);
    const std::size_t units = (piece.size() - begin) / framing.width;
    return piece.subspan(begin, units * framing.width);
  }
  const std::string_view text(piece.data(), piece.size());
  const std::size_t begin = offset == 0 ? 0 : text.find(*framing.delimiter) + 1;
  const std::size_t end = text.rfind(*framing.delimiter) + 1;
  return begin < end ? piece.subspan(begin, end - begin) : std::span<const char>();
}

}  // namespace

std::vector<std::string> sample_keys(const KeyInput& input, std::size_t count, bool pairs) {
  const UnitFraming framing = UnitFraming::of(input.format, pairs);
  const std::uint64_t bytes = regular_input_bytes(input).value_or(0);
  std::vector<std::string> sample;
  if (input.source || bytes == 0) return sample;
  const std::uint64_t distance = std::max<std::uint64_t>(bytes / kMostKeyPieces, kKeyPieceBytes);
  const std::size_t of_piece = count / (bytes / distance + 1) + 1;
  Chunk chunk;
  std::vector<std::string_view> keys;
  for (const std::string& path : input.paths) {
    const InputFile file(path);
    if (!is_cut_in_blocks(file, framing)) return {};
    for (std::uint64_t offset = 0; offset < file.size(); offset += distance) {
      chunk.storage.resize(kKeyPieceBytes);
      chunk.storage.resize(file.read_at(offset, chunk.storage));
      chunk.bytes = units_in(chunk.storage, offset, framing);
      keys.clear();
      try {
        const auto take = [&](std::string_view key) { keys.push_back(key); };
        if (pairs) {
          for_each_record(chunk, input.format,
                          [&](std::string_view key, std::string_view, std::uint64_t, std::size_t) {
                            take(key);
                          });
        } else {
          for_each_key(chunk, input.format,
                       [&](std::string_view key, std::uint64_t, std::size_t) { take(key); });
        }
      } catch (const InputFault&) {  // named when it is read
      }
      const std::size_t step = keys.size() / of_piece + 1;
      for (std::size_t i = 0; i < keys.size(); i += step) sample.emplace_back(keys[i]);
    }
  }
  return sample;
}

}  // namespace crivo::input
