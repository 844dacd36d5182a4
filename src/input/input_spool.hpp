// SPDX-License-Identifier: Apache-2.0
/// The copy of an input that cannot be read twice, so that a duplicate can still be named, and a
/// small input hashed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/temp_file.hpp"
#include "hashing/hash_family.hpp"
#include "input/chunk_reader.hpp"
#include "input/duplicates.hpp"
#include "input/places.hpp"
#include "input/units.hpp"

namespace crivo::input {

/// Reads the files once more, in order, on one thread.
inline bool replay_files(const Sources& sources, const UnitFraming& framing, const ParseKeys& parse,
                         const hashing::SeededHash& hash, const KeyVisitor& visit) {
  ChunkReader reader(sources, framing, {.in_order = true});
  Chunk chunk;
  bool go_on = true;
  while (go_on && reader.next(chunk)) {
    parse(chunk, [&](std::string_view key, std::uint64_t i, std::size_t offset) {
      if (go_on) go_on = visit(hash(key).lo, place_in(chunk, i, offset), &key);
    });
  }
  return true;
}

/// Spools 8 bytes of each key's hash, a fingerprint of each where there are any, and the text of
/// the first 10^6 keys, to an unnamed temporary file. A spool that cannot be written is given up:
/// no build needs it that meets no repeated hash.
class InputSpool {
 public:
  static constexpr std::uint64_t kTextKeys = 1'000'000;

  explicit InputSpool(std::filesystem::path directory) : file_(std::move(directory)) {}

  /// Keeps a chunk that knows its ordinal, with Hash128::lo of each of its keys, and with as many
  /// fingerprints or none. Returns the bytes that were written for it. Thread-safe.
  std::uint64_t add(const Chunk& chunk, std::span<const std::uint64_t> hashes,
                    std::span<const std::uint64_t> fingerprints = {}) noexcept;

  /// Visits every key in the order of the input: its hash, its place, and its text where that was
  /// kept (a null pointer otherwise); stops when `visit` returns false. False if the spool was
  /// given up.
  bool replay(const ParseKeys& parse, const KeyVisitor& visit);

  /// Visits Hash128::lo and the fingerprints of every key, a chunk at a time in any order; all
  /// chunks have fingerprints. False if the spool was given up.
  bool for_each_fingerprint(
      const std::function<void(std::span<const std::uint64_t> hashes,
                               std::span<const std::uint64_t> fingerprints)>& visit) const;

  /// Whether every chunk's text is kept, so that for_each_chunk() can stand for the input.
  bool has_all_text() const noexcept;
  /// Visits every chunk in the order of the input.
  void for_each_chunk(const std::function<void(const Chunk&)>& visit);

  std::uint64_t temp_bytes() const noexcept { return file_.bytes(); }

 private:
  struct Entry {
    Place start;
    std::uint64_t ordinal;
    std::uint64_t sequence;
    std::uint64_t keys;
    std::uint64_t hash_offset;  ///< fingerprints stand behind the hashes
    std::uint64_t text_offset;
    std::uint64_t text_bytes;  ///< 0: not kept
    NamedColumns columns;
  };

  Chunk read(const Entry& entry) const;

  std::mutex mutex_;
  base::TempFile file_;
  std::vector<Entry> entries_;
  bool given_up_ = false;
};

}  // namespace crivo::input
