// SPDX-License-Identifier: Apache-2.0
#include "input/compression.hpp"

#include <algorithm>
#include <string_view>

#include "crivo/error.hpp"

namespace crivo::input {
namespace {

using namespace std::string_view_literals;

/// The first bytes of a format: each is from its place in `low` to its place in `high`.
struct Magic {
  Compression compression;
  std::string_view low;
  std::string_view high;
};

constexpr Magic exactly(Compression compression, std::string_view bytes) {
  return {compression, bytes, bytes};
}

constexpr Magic kMagics[] = {
    exactly(Compression::gzip, "\x1f\x8b\x08"sv),
    exactly(Compression::zstd, "\x28\xb5\x2f\xfd"sv),
    {Compression::zstd, "\x50\x2a\x4d\x18"sv, "\x5f\x2a\x4d\x18"sv},  // a skippable frame first
    exactly(Compression::xz, "\xfd\x37zXZ\0"sv),
    // The block size, then a block or the end of an empty stream.
    {Compression::bzip2, "BZh1\x31\x41\x59\x26\x53\x59"sv, "BZh9\x31\x41\x59\x26\x53\x59"sv},
    {Compression::bzip2, "BZh1\x17\x72\x45\x38\x50\x90"sv, "BZh9\x17\x72\x45\x38\x50\x90"sv},
    exactly(Compression::lz4, "\x04\x22\x4d\x18"sv),
    exactly(Compression::lz4, "\x02\x21\x4c\x18"sv),  // as Linux images have it
    {Compression::lzip, "LZIP\0"sv, "LZIP\1"sv},
    exactly(Compression::lzop, "\x89LZO\0\r"sv),  // an LF and more follow
    {Compression::compress, "\x1f\x9d\x89"sv, "\x1f\x9d\x90"sv},
    exactly(Compression::zip, "PK\3\4"sv),
    exactly(Compression::zip, "PK\5\6"sv),  // an empty archive
    exactly(Compression::seven_zip, "7z\xbc\xaf\x27\x1c"sv),
    exactly(Compression::rar, "Rar!\x1a\x07"sv),
};

/// Whether `bytes` agree with the magic number as far as both go.
bool agree(std::span<const char> bytes, const Magic& magic) noexcept {
  const auto byte = [](char c) { return static_cast<unsigned char>(c); };
  for (std::size_t i = 0; i < std::min(bytes.size(), magic.low.size()); ++i) {
    if (byte(bytes[i]) < byte(magic.low[i]) || byte(bytes[i]) > byte(magic.high[i])) return false;
  }
  return true;
}

/// The name of a format, and the command that writes its contents to standard output.
struct Unread {
  std::string_view name;
  std::string_view command;
};

Unread unread(Compression compression) {
  switch (compression) {
    case Compression::lz4:
      return {"lz4-compressed", "lz4 -dc"};
    case Compression::lzip:
      return {"lzip-compressed", "lzip -dc"};
    case Compression::lzop:
      return {"lzop-compressed", "lzop -dc"};
    case Compression::compress:
      return {"compressed by compress (.Z)", "gzip -dc"};
    case Compression::zip:
      return {"a zip archive", "unzip -p"};
    case Compression::seven_zip:
      return {"a 7z archive", "7z x -so"};
    case Compression::rar:
      return {"a rar archive", "unrar p -inul"};
    case Compression::none:
    case Compression::gzip:
    case Compression::zstd:
    case Compression::xz:
    case Compression::bzip2:
      break;
  }
  return {};
}

}  // namespace

std::optional<Compression> detect_compression(std::span<const char> first_bytes,
                                              bool at_end) noexcept {
  bool may_be = false;
  for (const Magic& magic : kMagics) {
    if (!agree(first_bytes, magic)) continue;
    if (first_bytes.size() >= magic.low.size()) return magic.compression;
    may_be = true;
  }
  if (may_be && !at_end) return std::nullopt;
  return Compression::none;
}

bool may_begin(Compression compression, std::span<const char> bytes) noexcept {
  return std::ranges::any_of(kMagics, [&](const Magic& magic) {
    return magic.compression == compression && agree(bytes, magic);
  });
}

std::unique_ptr<Decoder> decoder_of(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return gzip_decoder();
    case Compression::zstd:
      return zstd_decoder();
    case Compression::xz:
      return xz_decoder();
    default:
      return bzip2_decoder();
  }
}

void refuse_compression(const std::string& name, Compression compression) {
  const auto [what, command] = unread(compression);
  throw Error(ErrorKind::bad_input,
              name + ": is " + std::string(what) +
                  ", which Crivo does not read; decompress it first, for example " +
                  std::string(command) + " FILE | crivo ... -");
}

}  // namespace crivo::input
