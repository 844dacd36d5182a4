// SPDX-License-Identifier: Apache-2.0
/// The decompressors, all behind one interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace crivo::input {

/// What one call of Decoder::decode() did.
struct DecodeStep {
  std::size_t taken = 0;            ///< bytes of the input
  std::size_t made = 0;             ///< bytes of the output
  bool ended = false;               ///< the stream ended, with all of its checksums right
  const char* damage = nullptr;     ///< why the input is not a sound stream, if it is not
  std::uint64_t memory_needed = 0;  ///< bytes, where the stream needs more than a decoder may take
};

/// Decodes streams: a gzip member, a zstd frame, an xz or bzip2 stream. A file holds one or more,
/// one after another. Everything throws std::bad_alloc where there is no memory.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual const char* format() const noexcept = 0;
  /// Before each stream.
  virtual void begin_stream() = 0;
  /// Decodes some of `input` into `output` (not empty). With an empty input it gives what it still
  /// holds; if that is nothing, and the stream has not ended, it makes nothing.
  virtual DecodeStep decode(std::span<const char> input, std::span<char> output) = 0;
  /// Zero bytes may follow a stream in multiples of so many; 0: none may.
  virtual std::size_t padding_unit() const noexcept { return 0; }
};

std::unique_ptr<Decoder> gzip_decoder();
/// Of what web servers call deflate: no file is one.
std::unique_ptr<Decoder> zlib_decoder();
std::unique_ptr<Decoder> zstd_decoder();
std::unique_ptr<Decoder> xz_decoder();
std::unique_ptr<Decoder> bzip2_decoder();

}  // namespace crivo::input
