// SPDX-License-Identifier: Apache-2.0
/// A file in a directory that nobody else looks at yet, which becomes durable with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "hashing/sha256.hpp"

namespace crivo::file {

/// Written from its beginning to its end, and hashed meanwhile.
class NewFile {
 public:
  /// Throws Error(io), also if the name is taken.
  explicit NewFile(std::filesystem::path path);

  /// Throws Error(io): a full disk above all.
  void append(base::ByteView bytes);
  std::uint64_t bytes() const noexcept { return bytes_; }
  hashing::Sha256Value sha256() const noexcept { return hash_.value(); }
  /// Makes the bytes durable, and the name as soon as its directory is. Throws Error(io).
  void finish();

 private:
  std::filesystem::path path_;
  base::FileDescriptor fd_;
  std::uint64_t bytes_ = 0;
  hashing::Sha256 hash_;
};

/// Calls `take` with the bytes of a file of this machine, piece by piece. Throws Error(io), and
/// what `take` throws.
void read_file(const std::filesystem::path& path,
               const std::function<void(std::span<const std::byte>)>& take);

}  // namespace crivo::file
