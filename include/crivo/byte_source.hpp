// SPDX-License-Identifier: Apache-2.0
/// Where the bytes of a file are that this machine does not have: on a server, in an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "crivo/export.hpp"

namespace crivo {

/// `length` bytes from `offset` on.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Both ends of a file.
struct FileEnds {
  std::uint64_t length = 0;  ///< of the file
  std::vector<std::byte> head;
  std::vector<std::byte> tail;
  /// The text of the file's .minisig, from a source that reads it at the same time.
  std::string signature{};
};

/// A file that is read by ranges. Each call should take one round trip, however many ranges it is
/// asked for. What it gives is not trusted: Remote checks every byte. It throws whatever it likes,
/// such as Error(io); the exception goes through. Called by one thread at a time.
class CRIVO_API ByteSource {
 public:
  virtual ~ByteSource();

  /// The length of the file, its first `head` bytes and its last `tail`; all of it twice where it
  /// is shorter.
  virtual FileEnds ends(std::uint64_t head, std::uint64_t tail) = 0;
  /// The bytes of each range, in their order. All lie within the file.
  virtual std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) = 0;

  /// A file of this machine: for tests, and for file systems of others. Throws Error(io).
  static std::unique_ptr<ByteSource> of_file(const std::filesystem::path& path);
};

}  // namespace crivo
