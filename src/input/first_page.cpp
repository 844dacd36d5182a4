// SPDX-License-Identifier: Apache-2.0
#include "input/first_page.hpp"

#include <algorithm>
#include <span>

#include "crivo/error.hpp"
#include "input/compression.hpp"

namespace crivo::input {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view name;
  std::string_view bytes;
  std::size_t offset = 0;
  bool also_text = false;  ///< text may begin so: then the page has to have control characters
};

constexpr std::string_view kCrivoFile = "a Crivo file";

// The longer of two that begin alike stands first.
constexpr Signature kSignatures[] = {
    {"text in UTF-32", "\xff\xfe\0\0"sv},
    {"text in UTF-32", "\0\0\xfe\xff"sv},
    {"text in UTF-16", "\xff\xfe"sv, 0, true},
    {"text in UTF-16", "\xfe\xff"sv, 0, true},
    {"a tar archive", "ustar"sv, 257},
    {"a cpio archive", "070701"sv, 0, true},
    {"an ar archive, as Debian packages are", "!<arch>\n"sv},
    {kCrivoFile,
     "\xc3"
     "CRV\r\n\x1a\n"sv},
    {"a Parquet file", "PAR1"sv, 0, true},
    {"an Arrow file", "ARROW1\0\0"sv},
    {"an Avro file", "Obj\x01"sv},
    {"an ORC file", "ORC"sv, 0, true},
    {"a SQLite database", "SQLite format 3\0"sv},
    {"an LMDB environment", "\xde\xc0\xef\xbe"sv, 16},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n"sv},
    {"a NumPy array", "\x93NUMPY"sv},
    {"a Python pickle", "\x80\x04\x95"sv},
    {"a Python pickle", "\x80\x05\x95"sv},
    {"a PDF", "%PDF-"sv, 0, true},
    {"a PNG image", "\x89PNG\r\n\x1a\n"sv},
    {"a JPEG image", "\xff\xd8\xff"sv},
    {"a program (ELF)",
     "\x7f"
     "ELF"sv},
    {"compressed by snappy", "\xff\x06\0\0sNaPpY"sv},
    {"compressed by lzma (xz -dc reads it)", "\x5d\0\0"sv},
    {"compressed by an old zstd", "\x22\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x23\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x24\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x25\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x26\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x27\xb5\x2f\xfd"sv},
    {"compressed by an old zstd", "\x1e\xb5\x2f\xfd"sv},
    {"compressed by zlib", "x\x01"sv, 0, true},
    {"compressed by zlib", "x\x5e"sv, 0, true},
    {"compressed by zlib", "x\x9c"sv, 0, true},
    {"compressed by zlib", "x\xda"sv, 0, true},
    {"compressed by pack", "\x1f\x1e"sv, 0, true},
    {"a WARC archive, from which keys are extracted", "WARC/1."sv},
    {"an ARC archive, from which keys are extracted", "filedesc://"sv},
};

/// Whether the page has bytes that no text has.
bool has_control_characters(std::string_view page) noexcept {
  return std::ranges::any_of(
      page, [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' ' && c != '\x1b'); });
}

/// Latin letters, of which each has a zero byte before or behind it.
bool is_wide_text(std::string_view page) noexcept {
  constexpr std::size_t kEnough = 16;
  page = page.substr(0, 4 * kEnough);
  if (page.size() < kEnough) return false;
  const auto zeros_at = [&](std::size_t parity) {
    for (std::size_t i = 0; i < page.size(); ++i) {
      if ((page[i] == '\0') != (i % 2 == parity)) return false;
    }
    return true;
  };
  return zeros_at(0) || zeros_at(1);
}

/// Text without LF that has CR, which old Macs end lines with: as lines it would be one key. At the
/// end of the page a CR may belong to an LF that is cut off, or end the only line.
bool ends_lines_with_cr(std::string_view page) noexcept {
  return page.find('\r') < page.size() - 1 && page.find('\n') == page.npos &&
         !has_control_characters(page);
}

}  // namespace

std::optional<std::string_view> other_format(std::string_view page, bool decompressed) noexcept {
  for (const Signature& each : kSignatures) {
    if (page.size() < each.offset || !page.substr(each.offset).starts_with(each.bytes)) continue;
    if (!each.also_text || has_control_characters(page)) return each.name;
  }
  if (is_wide_text(page)) return "text in UTF-16";
  if (ends_lines_with_cr(page)) return "text with CR for LF (tr '\\r' '\\n' mends it)";
  const std::span<const char> bytes(page.data(), page.size());
  if (decompressed && detect_compression(bytes, true) != Compression::none)
    return "compressed twice";
  return std::nullopt;
}

void refuse_other_format(const std::string& name, std::string_view page, bool decompressed) {
  const auto format = other_format(page, decompressed);
  if (!format) return;
  throw Error(ErrorKind::bad_input, name + ": is " + std::string(*format) + ", not lines of text",
              {.file = name, .remedy = *format == kCrivoFile ? "keys_of_index" : "binary_lines"});
}

}  // namespace crivo::input
