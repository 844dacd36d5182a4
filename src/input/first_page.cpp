// SPDX-License-Identifier: Apache-2.0
#include "input/first_page.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/error.hpp"
#include "input/compression.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

/// Whether some line of text ends with CR LF.
bool has_text_before_cr(std::string_view bytes) noexcept {
  for (std::size_t cr = bytes.find('\r'); cr != std::string_view::npos;
       cr = bytes.find('\r', cr + 1)) {
    if (cr + 1 == bytes.size() || bytes[cr + 1] != '\n') continue;
    const std::size_t before = bytes.substr(0, cr).rfind('\n');
    const std::string_view line = bytes.substr(before + 1, cr - before - 1);
    const bool has_controls = std::ranges::any_of(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
    if (!has_controls && is_utf8(line)) return true;
  }
  return false;
}

}  // namespace

TextSigns::TextSigns(Sources sources, const UnitFraming& framing)
    : sources_(std::move(sources)),
      framing_(framing),
      files_(std::make_unique<File[]>(sources_.size())) {}

void TextSigns::look_at(const Chunk& chunk) noexcept {
  if (!framing_.is_lines()) return;
  File& file = files_[chunk.start.file];
  if (chunk.blank_lines != 0) file.blank_lines += chunk.blank_lines;
  if (framing_.strip_cr) return;
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  if (!file.has_bare_lf.load(std::memory_order_relaxed)) see_every_line(bytes, file);
  if (file.has_bare_lf.load(std::memory_order_relaxed) &&
      !file.has_cr.load(std::memory_order_relaxed) && has_text_before_cr(bytes))
    file.has_cr.store(true, std::memory_order_relaxed);
}

void TextSigns::see_every_line(std::string_view bytes, File& file) noexcept {
  bool any_cr = false;
  // A last line without LF says nothing.
  for (std::size_t lf = bytes.find('\n'); lf != std::string_view::npos;
       lf = bytes.find('\n', lf + 1)) {
    if (lf == 0 || bytes[lf - 1] != '\r') {
      file.has_bare_lf.store(true, std::memory_order_relaxed);
      return;
    }
    any_cr = true;
  }
  if (any_cr) file.has_cr.store(true, std::memory_order_relaxed);
}

void TextSigns::read_again() noexcept {
  for (std::size_t f = 0; f < sources_.size(); ++f) files_[f].blank_lines = 0;
}

std::vector<std::uint8_t> TextSigns::seen() const {
  std::vector<std::uint8_t> all;
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    const File& file = files_[f];
    all.push_back(static_cast<std::uint8_t>((file.has_cr ? 1 : 0) | (file.has_bare_lf ? 2 : 0)));
  }
  return all;
}

void TextSigns::go_on_from(const std::vector<std::uint8_t>& seen) noexcept {
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    files_[f].has_cr = (seen[f] & 1) != 0;
    files_[f].has_bare_lf = (seen[f] & 2) != 0;
  }
}

std::vector<Warning> TextSigns::warnings() const {
  std::vector<Warning> warnings;
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    const std::string name = input_name(sources_, f);
    if (files_[f].has_cr) {
      const char* const which = files_[f].has_bare_lf ? ": some lines end" : ": every line ends";
      warnings.push_back(
          {std::string(name).append(which) + " with a CR, which is part of it", "strip_cr"});
    }
    if (const std::uint64_t blank = files_[f].blank_lines; blank != 0) {
      warnings.push_back({.text = name + ": " + std::to_string(blank) +
                                  (blank == 1 ? " blank line was" : " blank lines were") +
                                  " left out"});
    }
  }
  return warnings;
}

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
    {"a Feather file", "FEA1"sv, 0, true},
    {"a DuckDB database", "DUCK"sv, 8, true},
    {"a Berkeley DB", "\x62\x31\x05\0"sv, 12},
    {"a Berkeley DB", "\x61\x15\x06\0"sv, 12},
    {"a GDBM database", "\xcf\x9a\x57\x13"sv},
    {"a Redis dump", "REDIS0"sv, 0, true},
    {"a NetCDF file", "CDF\x01"sv},
    {"a NetCDF file", "CDF\x02"sv},
    {"a Python pickle", "\x80\x02"sv, 0, true},
    {"a Python pickle", "\x80\x03"sv, 0, true},
    {"a Python pickle", "\x80\x04\x95"sv},
    {"a Python pickle", "\x80\x05\x95"sv},
    {"a PDF", "%PDF-"sv, 0, true},
    {"a PNG image", "\x89PNG\r\n\x1a\n"sv},
    {"a JPEG image", "\xff\xd8\xff"sv},
    {"a GIF image", "GIF8"sv, 0, true},
    {"a TIFF image", "II*\0"sv},
    {"a TIFF image", "MM\0*"sv},
    {"an image, or sound (RIFF)", "RIFF"sv, 0, true},
    {"a film (MP4)", "ftyp"sv, 4, true},
    {"sound (Ogg)", "OggS\0"sv},
    {"sound (MP3)", "ID3"sv, 0, true},
    {"sound (FLAC)", "fLaC\0"sv},
    {"a document of Office", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv},
    {"a program (ELF)",
     "\x7f"
     "ELF"sv},
    {"a program (PE)", "MZ"sv, 0, true},
    {"a program (Mach-O)", "\xcf\xfa\xed\xfe"sv},
    {"a program (WebAssembly)", "\0asm"sv},
    {"a program (Java)", "\xca\xfe\xba\xbe\0"sv},
    {"an RPM package", "\xed\xab\xee\xdb"sv},
    {"a cabinet (CAB)", "MSCF\0"sv},
    {"a part of a zip archive", "PK\7\x08"sv},
    {"a pack of Git", "PACK\0\0\0"sv},
    {"a capture of packets (pcap)", "\xd4\xc3\xb2\xa1"sv},
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
    {"a WARC archive, from which keys are extracted", "WARC/0."sv},
    {"a WARC archive, from which keys are extracted", "WARC/1."sv},
    {"an ARC archive, from which keys are extracted", "filedesc://"sv},
};

/// Whether the page has bytes that no text has.
bool has_control_characters(std::string_view page, bool with_null = true) noexcept {
  const char lowest = with_null ? '\0' : '\1';
  return std::ranges::any_of(page, [lowest](char c) {
    return (c >= lowest && c < '\t') || (c > '\r' && c < ' ' && c != '\x1b');
  });
}

/// Latin letters of `width` bytes, of which all but the first, or all but the last, are zero.
bool is_wide_latin(std::string_view page, std::size_t width) noexcept {
  constexpr std::size_t kEnough = 8;
  page = page.substr(0, 4 * kEnough * width);
  if (page.size() < kEnough * width) return false;
  const auto has_letters_at = [&](std::size_t place) {
    for (std::size_t i = 0; i < page.size(); ++i) {
      if ((page[i] != '\0') != (i % width == place)) return false;
    }
    return true;
  };
  return has_letters_at(0) || has_letters_at(width - 1);
}

/// UTF-16 of other letters: so many lines that no keys of any bytes look alike by chance, each of
/// whose LF has a zero byte beside it, and no zero byte that is not at such a place.
bool is_wide_text(std::string_view page) noexcept {
  constexpr std::size_t kEnough = 8;
  const auto has_ends_at = [&](std::size_t parity) {
    std::size_t ends = 0;
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (page[i] == '\0' && i % 2 == parity) return false;
      if (page[i] != '\n') continue;
      const std::size_t beside = i ^ 1;
      if (i % 2 != parity || (beside < page.size() && page[beside] != '\0')) return false;
      ++ends;
    }
    return ends >= kEnough;
  };
  return has_ends_at(0) || has_ends_at(1);
}

/// Letters, digits and spaces for nine bytes of ten, none of them as ASCII has them, and the ends
/// of lines that EBCDIC has.
bool is_ebcdic(std::string_view page) noexcept {
  constexpr std::string_view kEnds = "\x15\x25\r";
  std::size_t letters = 0;
  std::size_t ends = 0;
  for (const char c : page) {
    const auto byte = static_cast<unsigned char>(c);
    const unsigned low = byte & 15;
    const bool is_letter = (byte >= 0x80 && byte < 0xf0 && low >= 1 && low <= 9 && byte >> 4 != 11);
    const bool is_end = kEnds.find(c) != kEnds.npos;
    if (byte < 0x40 && !is_end) return false;
    letters += is_letter || byte == 0x40 || (byte >= 0xf0 && low <= 9) || is_end ? 1 : 0;
    ends += is_end ? 1 : 0;
  }
  return ends != 0 && page.size() >= 8 && 10 * letters >= 9 * page.size();
}

/// Text without LF that has CR, which old Macs end lines with: as lines it would be one key. At the
/// end of the page a CR may belong to an LF that is cut off, or end the only line.
bool ends_lines_with_cr(std::string_view page) noexcept {
  return page.find('\r') < page.size() - 1 && page.find('\n') == page.npos &&
         !has_control_characters(page);
}

/// Text without LF whose pieces end with NUL.
bool ends_lines_with_null(std::string_view page) noexcept {
  return page.find('\0') != page.npos && (page.back() == '\0' || page.size() >= kFirstPageBytes) &&
         page.find('\n') == page.npos && !has_control_characters(page, false);
}

}  // namespace

std::optional<std::string_view> other_format(std::string_view page, bool decompressed) noexcept {
  for (const Signature& each : kSignatures) {
    if (page.size() < each.offset || !page.substr(each.offset).starts_with(each.bytes)) continue;
    if (!each.also_text || has_control_characters(page)) return each.name;
  }
  if (is_wide_latin(page, 4)) return "text in UTF-32";
  if (is_wide_latin(page, 2) || is_wide_text(page)) return "text in UTF-16";
  if (is_ebcdic(page)) return "text in EBCDIC (iconv mends it)";
  if (ends_lines_with_null(page)) return "text with NUL for LF (tr '\\0' '\\n' mends it)";
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
