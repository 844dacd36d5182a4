// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <new>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

struct Inflate {
  using Stream = z_stream;

  static void begin(Stream& stream, int window_bits) {
    const bool first = stream.state == nullptr;
    const int status = first ? inflateInit2(&stream, window_bits) : inflateReset(&stream);
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
        return {.damage = stream.msg != nullptr ? stream.msg : "not deflate data"};
    }
  }

  static void end(Stream& stream) noexcept { inflateEnd(&stream); }
};

struct Gzip : Inflate {
  static constexpr const char* kFormat = "gzip";
  static constexpr std::size_t kPaddingUnit = 1;  // what tapes leave

  static void begin(Stream& stream) {
    constexpr int kGzipOnly = 16;
    Inflate::begin(stream, MAX_WBITS + kGzipOnly);
  }
};

struct Zlib : Inflate {
  static constexpr const char* kFormat = "zlib";
  static constexpr std::size_t kPaddingUnit = 0;

  static void begin(Stream& stream) { Inflate::begin(stream, MAX_WBITS); }
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder() {
  return std::make_unique<StreamDecoder<Gzip>>();
}

std::unique_ptr<Decoder> zlib_decoder() {
  return std::make_unique<StreamDecoder<Zlib>>();
}

}  // namespace crivo::input
