// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <new>

#include "input/stream_decoder.hpp"

namespace crivo::input {
namespace {

struct Gzip {
  using Stream = z_stream;
  static constexpr const char* kFormat = "gzip";
  static constexpr std::size_t kPaddingUnit = 1;  // what tapes leave

  static void begin(Stream& stream) {
    constexpr int kGzipOnly = 16;
    const bool first = stream.state == nullptr;
    const int status = first ? inflateInit2(&stream, MAX_WBITS + kGzipOnly) : inflateReset(&stream);
    if (status != Z_OK) throw std::bad_alloc();
  }

  static StreamStatus run(Stream& stream) {
    switch (inflate(&stream, Z_NO_FLUSH)) {
      case Z_OK:
      case Z_BUF_ERROR:  // no progress
        return {};
      case Z_STREAM_END:
        return {.ended = true};
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        return {.damage = stream.msg != nullptr ? stream.msg : "not gzip data"};
    }
  }

  static void end(Stream& stream) noexcept { inflateEnd(&stream); }
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder() {
  return std::make_unique<StreamDecoder<Gzip>>();
}

}  // namespace crivo::input
