// SPDX-License-Identifier: Apache-2.0
/// The pieces of a stream of texts in order, each sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "stream/sorted_texts.hpp"
#include "stream/text_stream.hpp"

namespace crivo::stream {

/// Sorts pieces on all threads and hands them on in order. A piece that is too large for that is
/// divided again; one that is a single text, however often, is handed on as that. What a thread
/// sorts in is a `Room`, with SortedTexts `texts` and whatever else it is filled with.
template <typename Room>
class SortedPieces {
 public:
  SortedPieces(unsigned threads, std::uint64_t memory_bytes)
      : threads_(threads), memory_bytes_(memory_bytes) {}

  /// Calls, for each piece in order, take(stream, piece, room) after fill(stream, piece, room) was
  /// called on some thread, when room.texts had been read; or repeat(text, times).
  template <typename Fill, typename Take, typename Repeat>
  void for_each(const TextStream& texts, const Fill& fill, const Take& take, const Repeat& repeat) {
    for_each(texts, true, memory_bytes_ / 2, fill, take, repeat);
  }

  /// Temporary disk used, of pieces that were divided.
  std::uint64_t temp_bytes() const noexcept { return temp_bytes_; }

 private:
  /// With `divides` large pieces are divided, within `parts_bytes`.
  template <typename Fill, typename Take, typename Repeat>
  void for_each(const TextStream& texts, bool divides, std::uint64_t parts_bytes, const Fill& fill,
                const Take& take, const Repeat& repeat) {
    const auto is_set_apart = [&](std::size_t piece) {
      return texts.is_one_text(piece) || (divides && is_large(texts, piece));
    };
    for (std::size_t piece = 0; piece != texts.pieces();) {
      std::size_t past = piece;
      while (past != texts.pieces() && !is_set_apart(past)) ++past;
      const std::size_t begin = piece;
      using Sorted = typename base::IdlePool<Room>::Handle;
      const auto sorted = [&](std::size_t at) {
        Sorted room = rooms_.take();
        texts.read(at, room->texts);
        fill(texts, at, *room);
        return room;
      };
      base::parallel_ordered_within(
          threads_, past - begin, waiting_bytes(),
          [&](std::uint64_t i, const auto& has_room) {
            const bool fits = has_room(texts.size(begin + i).memory_bytes());
            return fits ? std::optional<Sorted>(sorted(begin + i)) : std::nullopt;
          },
          [&](std::uint64_t i, std::optional<Sorted> room) {
            if (!room) room = sorted(begin + i);
            take(texts, begin + i, **room);
          });
      piece = past;
      if (piece == texts.pieces()) return;
      if (texts.is_one_text(piece)) {
        if (texts.size(piece).texts != 0) repeat(texts.shared(piece), texts.size(piece).texts);
      } else {
        constexpr std::size_t kParts = 64;
        const auto parts = texts.split(piece, kParts, parts_bytes);
        parts->finish();
        // A text that is large by itself is sorted as it is.
        for_each(*parts, parts->pieces() != 1, parts_bytes / 2, fill, take, repeat);
        temp_bytes_ += parts->temp_bytes();
        rooms_.clear();
      }
      ++piece;
    }
  }

  /// Whether a piece is not sorted at once: it takes too much of the memory, or of one thread's
  /// time. (Some pieces wait for their turn while others are sorted.)
  bool is_large(const TextStream& texts, std::size_t piece) const noexcept {
    constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
    constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
    const std::uint64_t share = memory_bytes_ / (16 * std::uint64_t{threads_});
    return texts.size(piece).memory_bytes() > std::clamp(share, kLeast, kMost);
  }

  /// Returns the memory for texts that are sorted, or wait for their turn.
  std::uint64_t waiting_bytes() const noexcept {
    constexpr std::uint64_t kLeast = std::uint64_t{8} << 20;
    return std::max(memory_bytes_ / 4, kLeast);
  }

  unsigned threads_;
  std::uint64_t memory_bytes_;
  base::IdlePool<Room> rooms_{[] { return std::make_unique<Room>(); }};
  std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::stream
