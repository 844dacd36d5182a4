// SPDX-License-Identifier: Apache-2.0
#include "input/stream_texts.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"
#include "input/chunk_numbers.hpp"
#include "input/first_page.hpp"
#include "input/for_each_chunk.hpp"
#include "input/input_bytes.hpp"
#include "input/input_parts.hpp"
#include "input/units.hpp"
#include "input/value_text.hpp"

namespace crivo::input {

/// About `count` keys, from short pieces at even distances of all files: none where a file is a
/// pipe or compressed, and can be read from its beginning only. Keys that are refused when they are
/// read are left out, and those too long for a piece. Throws Error(io). With `pairs`, the keys of
/// pairs.
std::vector<std::string> sample_keys(const KeyInput& input, std::size_t count, bool pairs = false);

namespace {

using stream::TextSplitters;
using stream::TextStream;

/// A piece is about so large, that it stays in a core's second-level cache while it is sorted.
constexpr std::uint64_t kTextPieceBytes = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostTextPieces = std::uint64_t{1} << 13;
constexpr std::uint64_t kUsualPieces = std::uint64_t{1} << 11;  ///< where the size is not known
constexpr std::uint64_t kSampledKeys = 32;                      ///< for each piece
/// The bytes that are read of a pipe before it is divided.
constexpr std::uint64_t kFirstBytes = std::uint64_t{32} << 20;

/// Adds what take(thread, chunk, add) gives add(text) of each chunk; `pairs`: as units are cut.
template <typename Take>
ReadTexts read_texts(const KeyInput& input, bool pairs, const TextOptions& options,
                     const base::BuildContext& context, const Take& take) {
  const Sources sources(input);
  const UnitFraming framing = UnitFraming::of(input.format, pairs);
  const std::optional<std::uint64_t> bytes = regular_input_bytes(sources);
  const std::vector<std::string> sample =
      sample_keys(input, kSampledKeys * text_pieces(bytes), pairs);
  auto texts = std::make_unique<TextStream>(
      stream::TextStreamOptions{context.threads, options.memory_bytes, options.temp_dir},
      TextSplitters::of_sample({sample.begin(), sample.end()}, text_pieces(bytes)));

  // Without a sample all of the first texts are in one piece, which is divided when they are
  // enough, while no thread adds.
  bool divided = !sample.empty();
  std::shared_mutex dividing;
  std::atomic<std::uint64_t> read{0};
  const auto divide = [&] {
    const std::unique_lock lock(dividing);
    if (divided) return;
    texts->finish();
    texts = texts->split(0, kUsualPieces, options.memory_bytes);
    divided = true;
  };

  TextSigns signs(sources, framing);
  context.progress.begin("read", bytes.value_or(0), Progress::Unit::bytes);
  ChunkReader reader(sources, framing, {});
  for_each_chunk(reader, sources, framing, context, [&](unsigned thread, const Chunk& chunk) {
    bool enough = false;
    {
      const std::shared_lock lock(dividing);
      take(thread, chunk, [&](std::string_view text) { texts->add(thread, text); });
      enough = !divided && read.fetch_add(chunk.bytes.size()) + chunk.bytes.size() >= kFirstBytes;
    }
    signs.look_at(chunk);
    if (enough) divide();
  });
  texts->finish();
  return {std::move(texts), signs.warnings()};
}

}  // namespace

std::size_t text_pieces(const std::optional<std::uint64_t>& bytes) noexcept {
  return bytes ? std::clamp<std::uint64_t>(*bytes / kTextPieceBytes, 1, kMostTextPieces)
               : kUsualPieces;
}

ReadTexts stream_texts(const KeyInput& input, const TextOptions& options,
                       const base::BuildContext& context) {
  return read_texts(
      input, false, options, context, [&](unsigned, const Chunk& chunk, const auto& add) {
        for_each_key(chunk, input.format,
                     [&](std::string_view key, std::uint64_t, std::size_t) { add(key); });
      });
}

ReadTexts stream_valued_texts(const KeyInput& input, const ValueForm& form,
                              const TextOptions& options, const base::BuildContext& context) {
  struct alignas(64) Room {
    std::string text;
  };
  check_value_format(input.format);
  std::vector<Room> rooms(context.threads);
  const ChunkNumbers places(Sources(input).size());
  return read_texts(
      input, true, options, context, [&](unsigned thread, const Chunk& chunk, const auto& add) {
        const std::uint64_t first = places.place(chunk);
        std::string& text = rooms[thread].text;
        for_each_value(
            chunk, input.format, form, 64,
            [&](std::string_view key, std::uint64_t value, std::uint64_t index, std::size_t) {
              write_valued_text(key, {value, first + index}, text);
              add(text);
            });
      });
}

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
