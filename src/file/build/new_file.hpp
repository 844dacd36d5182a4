// SPDX-License-Identifier: Apache-2.0
/// Files and directories that become durable as they are made, under names that nobody else uses
/// yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "file/directory.hpp"
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

/// Removes `name`, whatever it is, from the directory; nothing where there is none. Symbolic links
/// are not followed. Throws Error(io).
void remove_tree(const Directory& parent, const std::string& name);

/// Makes the directory, and those above it that are missing, if it is not there, and in any case
/// its name durable: what is published in it outlasts a loss of power only as it does. Returns
/// whether it was made. Throws Error(io).
bool make_directory(const std::filesystem::path& path);

}  // namespace crivo::file
