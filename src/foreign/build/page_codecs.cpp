// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/page_codecs.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace crivo::foreign::parquet {
namespace {

enum Codec : std::uint8_t { uncompressed = 0, snappy = 1, gzip = 2, zstd = 6 };

std::string codec_name(std::uint64_t codec) {
  constexpr std::array<std::string_view, 8> kNames{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                                   "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
  return codec < kNames.size() ? std::string(kNames[codec]) : std::to_string(codec);
}

bool unpack_gzip(base::ByteView page, base::Bytes& room) noexcept {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return false;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(page.data()));
  stream.avail_in = static_cast<uInt>(page.size());
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  const bool done = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return done;
}

bool unpack_zstd(base::ByteView page, base::Bytes& room) noexcept {
  return ZSTD_decompress(room.data(), room.size(), page.data(), page.size()) == room.size();
}

/// The bytes of Snappy's format, of which each read is checked.
class SnappyBytes {
 public:
  explicit SnappyBytes(base::ByteView bytes) noexcept : bytes_(bytes) {}

  bool empty() const noexcept { return bytes_.empty(); }
  /// The next 1 to 4 bytes as a number; false if there are fewer.
  bool number(unsigned bytes, std::uint32_t& value) noexcept {
    if (bytes_.size() < bytes) return false;
    value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= std::to_integer<std::uint32_t>(bytes_[i]) << 8 * i;
    bytes_ = bytes_.subspan(bytes);
    return true;
  }
  bool length(std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      std::uint32_t next = 0;
      if (!number(1, next)) return false;
      value |= std::uint64_t{next & 0x7f} << shift;
      if (next < 0x80) return true;
    }
    return false;
  }
  bool copy_to(std::byte* to, std::size_t count) noexcept {
    if (bytes_.size() < count) return false;
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return true;
  }

 private:
  base::ByteView bytes_;
};

}  // namespace

bool unpack_snappy(base::ByteView page, base::Bytes& room) noexcept {
  constexpr std::uint32_t kShortLiteral = 60;
  SnappyBytes from(page);
  std::uint64_t bytes = 0;
  if (!from.length(bytes) || bytes != room.size()) return false;
  std::size_t at = 0;
  while (!from.empty()) {
    std::uint32_t tag = 0;
    if (!from.number(1, tag)) return false;
    const std::uint32_t high = tag >> 2;
    if ((tag & 3) == 0) {
      std::uint32_t last = high;  // its length less one
      if (high >= kShortLiteral && !from.number(high - kShortLiteral + 1, last)) return false;
      if (last >= room.size() - at || !from.copy_to(room.data() + at, std::size_t{last} + 1))
        return false;
      at += std::size_t{last} + 1;
      continue;
    }
    std::uint32_t back = 0;
    std::size_t count = high + 1;
    if ((tag & 3) == 1) {
      if (!from.number(1, back)) return false;
      back |= tag >> 5 << 8;
      count = 4 + (high & 7);
    } else if (!from.number((tag & 3) == 2 ? 2 : 4, back)) {
      return false;
    }
    if (back == 0 || back > at || count > room.size() - at) return false;
    // It may repeat what it writes.
    for (std::size_t i = 0; i < count; ++i, ++at) room[at] = room[at - back];
  }
  return at == room.size();
}

base::ByteView unpack(const File& file, const std::string& column, std::uint64_t codec,
                      base::ByteView page, std::uint64_t bytes, base::Bytes& room) {
  if (bytes == 0) return {};
  const std::string name = "column '" + column + "' ";
  if (bytes > kMostPageBytes) file.refuse(name + "has a page of over 256 MiB");
  bool (*unpack_by)(base::ByteView, base::Bytes&) noexcept = nullptr;
  std::uint64_t growth = 0;  // to what a byte can grow at most
  switch (codec) {
    case uncompressed:
      if (page.size() != bytes) file.fail(name + "has a page of two lengths");
      return page;
    case snappy:
      unpack_by = unpack_snappy;
      growth = 32;
      break;
    case gzip:
      unpack_by = unpack_gzip;
      growth = 1032;
      break;
    case zstd:
      unpack_by = unpack_zstd;
      growth = 32'768;
      break;
    default:
      file.refuse(name + "is compressed by " + codec_name(codec) +
                  ", which is not read; SNAPPY, GZIP and ZSTD are");
  }
  // No memory for a length that cannot be: none for what a page of few bytes only says.
  bool is_sound = bytes / growth <= page.size();
  if (is_sound) {
    room.resize(bytes);
    is_sound = unpack_by(page, room);
  }
  if (!is_sound) file.fail(name + "has a page that " + codec_name(codec) + " cannot read");
  return room;
}

}  // namespace crivo::foreign::parquet
