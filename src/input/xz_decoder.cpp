// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>

#include <new>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

struct Xz {
  using Stream = lzma_stream;
  static constexpr const char* kFormat = "xz";
  static constexpr std::size_t kPaddingUnit = 4;

  static void begin(Stream& stream) {
    constexpr std::uint64_t kMemory = std::uint64_t{257} << 20;  // dictionaries of 256 MiB fit
    if (lzma_stream_decoder(&stream, kMemory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }

  static StreamStatus run(Stream& stream) {
    switch (lzma_code(&stream, LZMA_RUN)) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // no progress
        return {};
      case LZMA_STREAM_END:
        return {.ended = true};
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_FORMAT_ERROR:
        return {.damage = "not xz data"};
      case LZMA_OPTIONS_ERROR:
        return {.damage = "unsupported options"};
      case LZMA_UNSUPPORTED_CHECK:
        return {.damage = "unsupported checksum"};
      case LZMA_MEMLIMIT_ERROR:
        return {.memory_needed = lzma_memusage(&stream)};
      default:
        return {.damage = "corrupt data"};
    }
  }

  static void end(Stream& stream) noexcept { lzma_end(&stream); }
};

}  // namespace

std::unique_ptr<Decoder> xz_decoder() {
  return std::make_unique<StreamDecoder<Xz>>();
}

}  // namespace crivo::input
