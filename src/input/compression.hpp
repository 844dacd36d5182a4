// SPDX-License-Identifier: Apache-2.0
/// The magic numbers of compressed files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "input/decoder.hpp"

namespace crivo::input {

/// The ways of compressing that are known by their first bytes. Those from `lz4` on are not read.
enum class Compression {
  none,
  gzip,
  zstd,
  xz,
  bzip2,
  lz4,
  lzip,
  lzop,
  compress,  ///< .Z
  zip,
  seven_zip,
  rar,
};

/// So many bytes always tell.
inline constexpr std::size_t kMaxMagicBytes = 10;

/// Returns how an input that begins with `first_bytes` is compressed; nothing while they may still
/// turn out to be one or the other. With `at_end` there are no more. No magic number has an LF in
/// it, so a whole line tells.
///
/// Magic numbers are as long as the formats allow, so that text hardly ever has one: a file that
/// begins with "BZh9" or "PK" is text. Keys of arbitrary bytes may begin with one by chance (with
/// gzip's, the shortest, in 1 of 2^24 files); such a file is read when it is itself compressed,
/// since what was decompressed once is taken as it is.
std::optional<Compression> detect_compression(std::span<const char> first_bytes,
                                              bool at_end) noexcept;

/// Whether these are the first bytes of something that is compressed.
inline bool begins_compressed(std::span<const char> bytes) noexcept {
  return detect_compression(bytes, true) != Compression::none;
}

/// Whether `bytes` may begin something that is compressed so, or do, if there are enough of them.
bool may_begin(Compression compression, std::span<const char> bytes) noexcept;

/// Whether inputs that are compressed so are decompressed.
constexpr bool is_read(Compression compression) noexcept {
  return compression < Compression::lz4;
}

/// For one that is. Throws std::bad_alloc.
std::unique_ptr<Decoder> decoder_of(Compression compression);

/// Throws Error(bad_input): the input `name` is compressed in a way that is not read, and how to
/// decompress it.
[[noreturn]] void refuse_compression(const std::string& name, Compression compression);

}  // namespace crivo::input
