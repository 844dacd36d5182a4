// SPDX-License-Identifier: Apache-2.0
/// Errors and warnings as every part of Crivo reports them, and texts as messages quote them.
///
///     try {
///       const auto ranks = crivo::Mphf::open("urls.crv");
///     } catch (const crivo::Error& error) {
///       std::cerr << error.what() << '\n';  // one line: where, what, and what to do
///     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "crivo/detail/export.hpp"

namespace crivo {

/// Names what went wrong, in the classes that a caller treats differently.
enum class ErrorKind {
  mismatch,   ///< a key is absent, or `verify` found a wrong answer
  usage,      ///< the call itself makes no sense (unknown option, existing output)
  bad_input,  ///< the input is at fault: a duplicate key, a bad record, a key over the limit
  corrupt,    ///< a file of ours is damaged, truncated, or no file of ours at all
  too_new,    ///< a file of a later version, or with a feature this reader does not know
  too_old,    ///< a file of a version that is no longer read
  io,         ///< the system refused: disk full, memory, permission, a failed read
  cancelled,  ///< Progress::cancel() was called
};

/// Says where it went wrong, and what would help, as far as that is known.
struct ErrorPlace {
  std::string file{};                   ///< as the caller named it; "-" is standard input
  std::optional<std::uint64_t> line{};  ///< of a key, from 1; else its index and 1
  std::string section{};                ///< of a damaged file, by its name
  std::optional<std::uint64_t> byte{};  ///< of the file, from 0, at which damage begins
  std::optional<int> system_error{};    ///< the errno of the system call that failed
  /// Names what would help: the member of the call's options that is at fault or could be
  /// set otherwise, as "seed" or "replace", or the name of another call, as "finish_partition".
  std::string remedy{};
};

/// Error is the one exception type that Crivo throws. `what()` is one line that says where (a file,
/// and a line or a section of it), what is wrong and what to do about it.
class CRIVO_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Error(ErrorKind kind, const std::string& message, ErrorPlace place);
  ~Error() override;
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;

  ErrorKind kind() const noexcept { return kind_; }
  /// Returns what the message says of the place, for programs.
  const ErrorPlace& place() const noexcept;

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorPlace> place_;  ///< null: nothing is known
};

/// Holds what a call that succeeded has to say of its input or output.
struct Warning {
  std::string text{};    ///< one line: where, what it is, and what to do
  std::string remedy{};  ///< as ErrorPlace::remedy; empty where there is none

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// `bytes` on one line and without a command to the terminal: control characters (of Unicode, so
/// those of C1 too) and bytes that are not UTF-8 become `x` and two hexadecimal digits behind a
/// backslash. All else passes as it is.
CRIVO_API std::string escape(std::string_view bytes);

/// Returns the same in double quotes, with quotes and backslashes escaped; what is longer than 200
/// bytes is cut short with its full length told.
CRIVO_API std::string quote(std::string_view bytes);

/// Returns the bytes, 1 to 4, of the character of UTF-8 that `bytes` begin with; 0 if they begin
/// with none. UTF-8 as Unicode has it: no overlong forms, no surrogates, nothing above U+10FFFF.
CRIVO_API std::size_t utf8_length(std::string_view bytes) noexcept;

/// Writes character `code`, which is at most U+10FFFF, in UTF-8: 1 to 4 bytes from `to` on. Returns
/// where they end.
constexpr char* put_utf8(char32_t code, char* to) noexcept {
  const auto put = [&](char32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return to;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
  return to;
}

/// Returns whether `bytes` are such characters through and through. O(bytes).
CRIVO_API bool is_utf8(std::string_view bytes) noexcept;

}  // namespace crivo
