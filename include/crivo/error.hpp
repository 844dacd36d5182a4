// SPDX-License-Identifier: Apache-2.0
/// Errors as every part of Crivo reports them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "crivo/export.hpp"

namespace crivo {

/// What went wrong, in the classes that a caller treats differently.
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

/// Where it went wrong, and what would help, as far as that is known.
struct ErrorPlace {
  std::string file{};                   ///< as the caller named it; "-" is standard input
  std::optional<std::uint64_t> line{};  ///< of a key, from 1; else its index and 1
  std::string section{};                ///< of a damaged file, by its name
  std::optional<std::uint64_t> byte{};  ///< of the file, from 0, at which damage begins
  std::optional<int> system_error{};    ///< the errno of the system call that failed
  /// What of this library would help: the member of the call's options that is at fault or could be
  /// set otherwise, as "seed" or "replace", or the name of another call, as "finish_partition".
  std::string remedy{};
};

/// The one exception type that Crivo throws. `what()` is one line that says where (a file, and a
/// line or a section of it), what is wrong and what to do about it.
class CRIVO_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Error(ErrorKind kind, const std::string& message, ErrorPlace place);
  ~Error() override;
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;

  ErrorKind kind() const noexcept { return kind_; }
  /// What the message says of the place, for programs.
  const ErrorPlace& place() const noexcept;

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorPlace> place_;  ///< null: nothing is known
};

}  // namespace crivo
