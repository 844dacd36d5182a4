// SPDX-License-Identifier: Apache-2.0
#include <bzlib.h>

#include <new>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

struct Bzip2 {
  using Stream = bz_stream;
  static constexpr const char* kFormat = "bzip2";
  static constexpr std::size_t kPaddingUnit = 0;

  static void begin(Stream& stream) {
    end(stream);
    stream = {};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  static StreamStatus run(Stream& stream) {
    switch (BZ2_bzDecompress(&stream)) {
      case BZ_OK:
        return {};
      case BZ_STREAM_END:
        return {.ended = true};
      case BZ_MEM_ERROR:
        throw std::bad_alloc();
      case BZ_DATA_ERROR_MAGIC:
        return {.damage = "not bzip2 data"};
      default:
        return {.damage = "corrupt data"};
    }
  }

  static void end(Stream& stream) noexcept { BZ2_bzDecompressEnd(&stream); }
};

}  // namespace

std::unique_ptr<Decoder> bzip2_decoder() {
  return std::make_unique<StreamDecoder<Bzip2>>();
}

}  // namespace crivo::input
