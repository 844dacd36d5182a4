// SPDX-License-Identifier: Apache-2.0
/// A file of nothing but keys, and how these are written to it.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/temp_file.hpp"
#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "file/pending_file.hpp"
#include "stream/text_stream.hpp"

namespace crivo::index {

/// How a key is written.
class KeyText {
 public:
  KeyText(const KeyInput& input, const SortOptions& options)
      : counts_(options.count),
        once_(options.count || options.unique),
        hex_(options.hex),
        ends_(input.format.framing != KeyFormat::Framing::fixed && !options.payload_vector),
        lists_sizes_(options.payload_vector),
        end_(options.null_output ? '\0' : '\n') {
    const KeyFormat& format = input.format;
    if (lists_sizes_) {
      if (options.count || options.null_output || format.framing == KeyFormat::Framing::fixed)
        throw Error(ErrorKind::usage,
                    "a payload vector has keys of any width, without counts, and with no byte "
                    "between them");
    } else if (!ends_ && (options.count || options.null_output)) {
      throw Error(ErrorKind::usage,
                  "keys of fixed width are written one behind the other: "
                  "without counts, and with no byte between them");
    }
    const bool ends_alike = format.framing == (options.null_output ? KeyFormat::Framing::null
                                                                   : KeyFormat::Framing::lines);
    may_hold_end_ = ends_ && !hex_ && (!ends_alike || format.hex || format.quotes);
  }

  /// Whether the sizes of what is written are wanted, too.
  bool lists_sizes() const noexcept { return lists_sizes_; }
  /// Whether equal texts are written once.
  bool once() const noexcept { return once_; }
  /// The most bytes that so many texts take.
  std::uint64_t most_bytes(const stream::TextStream::Size& size) const noexcept {
    return (hex_ ? 2 : 1) * size.bytes + size.texts * (1 + (counts_ ? 1 + kMostDigits : 0));
  }
  /// Writes a text to `to`, which has room for it, and returns its end.
  char* write(char* to, std::string_view shared, std::string_view rest, std::uint64_t times) const {
    char* const begin = to;
    to = put(put(to, shared), rest);
    if (may_hold_end_ && std::memchr(begin, end_, static_cast<std::size_t>(to - begin)) != nullptr)
      refuse({begin, to});
    if (counts_) {
      *to++ = '\t';
      to = std::to_chars(to, to + kMostDigits, times).ptr;
    }
    if (ends_) *to++ = end_;
    return to;
  }

 private:
  char* put(char* to, std::string_view text) const noexcept {
    if (!hex_) return to + text.copy(to, text.size());
    for (const char c : text) {
      std::memcpy(to, kHex[static_cast<unsigned char>(c)].data(), 2);
      to += 2;
    }
    return to;
  }
  [[noreturn]] void refuse(std::string_view key) const {
    throw Error(
        ErrorKind::bad_input,
        "the key " + quote(key) + " holds " +
            (end_ == '\n' ? "a line feed, which would end it" : "a NUL, which would end it"),
        {.remedy = end_ == '\n' ? "null_output" : ""});
  }

  /// The two digits of each byte.
  static constexpr std::array<std::array<char, 2>, 256> kHex = [] {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<std::array<char, 2>, 256> all{};
    for (std::size_t byte = 0; byte != all.size(); ++byte)
      all[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
    return all;
  }();
  static constexpr std::size_t kMostDigits = 20;  ///< of a count

  bool counts_;
  bool once_;
  bool hex_;
  bool may_hold_end_ = false;
  bool ends_;  ///< by the byte `end_`
  bool lists_sizes_;
  char end_;
};

/// Keys one behind the other, or a payload vector of PISA's: how many keys there are, n + 1 offsets
/// of 8 bytes each, the lowest first, and the keys. Since those have to wait for the offsets, they
/// are in temp_dir until then.
class SortedFile {
 public:
  SortedFile(file::PendingFile& file, bool payload_vector, const std::filesystem::path& temp_dir);

  /// Appends some keys, `text`, of a payload vector so many of such sizes. Throws Error(io).
  void append(std::string_view text, std::span<const std::uint32_t> sizes);
  /// Appends a key that is there so often, as `text` writes it. Returns how often it was appended.
  std::uint64_t append_repeated(const KeyText& text, std::string_view key, std::uint64_t times);
  /// Writes what has waited, and returns how many bytes the file has. Last call. Throws Error(io).
  std::uint64_t finish();
  std::uint64_t temp_bytes() const noexcept { return waiting_.bytes(); }

 private:
  void add_offset();
  void flush_offsets();

  file::PendingFile& file_;
  bool payload_vector_;
  base::TempFile waiting_;
  std::uint64_t bytes_ = 0;  ///< of the file, as far as it is written
  std::uint64_t keys_ = 0;
  std::uint64_t key_bytes_ = 0;
  base::Bytes offsets_;  ///< that are to be written
};

}  // namespace crivo::index
