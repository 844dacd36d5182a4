// SPDX-License-Identifier: Apache-2.0
/// Bytes compressed in every way that is read.
#pragma once

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace crivo::test {

inline void expect_packed(bool packed, const char* format) {
  if (!packed) throw std::runtime_error(std::string(format) + " failed");
}

/// A gzip member; at level 0 the bytes stand in it as they are.
inline std::string gzip(std::string_view bytes, int level = 6) {
  constexpr int kGzip = 16;
  z_stream stream{};
  expect_packed(
      deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "gzip");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  expect_packed(status == Z_STREAM_END, "gzip");
  return out;
}

/// A zstd frame with a checksum.
inline std::string zstd(std::string_view bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  expect_packed(ZSTD_isError(size) == 0, "zstd");
  out.resize(size);
  return out;
}

/// An xz stream, with a window that is not much larger than the bytes: either side clears all of
/// it.
inline std::string xz(std::string_view bytes, lzma_check check = LZMA_CHECK_CRC64) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  lzma_options_lzma options{};
  expect_packed(!lzma_lzma_preset(&options, 1), "xz");
  const auto least = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::max<std::size_t>(bytes.size(), LZMA_DICT_SIZE_MIN), UINT32_MAX));
  options.dict_size = std::min(options.dict_size, least);
  lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  const lzma_ret status = lzma_stream_buffer_encode(
      filters, check, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
      reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  expect_packed(status == LZMA_OK, "xz");
  out.resize(size);
  return out;
}

/// A bzip2 stream.
inline std::string bzip2(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  const int status = BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                                              static_cast<unsigned>(bytes.size()), 1, 0, 0);
  expect_packed(status == BZ_OK, "bzip2");
  out.resize(size);
  return out;
}

}  // namespace crivo::test
