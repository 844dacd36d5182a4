// SPDX-License-Identifier: Apache-2.0
#include "input/stream_texts.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include "input/chunk_numbers.hpp"
#include "input/for_each_chunk.hpp"
#include "input/key_sample.hpp"
#include "input/text_signs.hpp"
#include "input/units.hpp"
#include "input/value_text.hpp"
#include "input/valued_text.hpp"

namespace crivo::input {
namespace {

using stream::TextSplitters;
using stream::TextStream;

/// A piece is about so large, that it stays in a core's second-level cache while it is sorted.
constexpr std::uint64_t kTextPieceBytes = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostTextPieces = std::uint64_t{1} << 13;
constexpr std::uint64_t kUsualPieces = std::uint64_t{1} << 11;  ///< where the size is not known
constexpr std::uint64_t kSampledKeys = 32;                      ///< for each piece
/// Of a pipe, so much is read before it is divided.
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
    signs.see(chunk);
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

}  // namespace crivo::input
