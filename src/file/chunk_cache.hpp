// SPDX-License-Identifier: Apache-2.0
/// A cache on disk of what was fetched of servers' files: chunks, by their hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "file/content_id.hpp"

namespace crivo::file {

/// Two files of a folder: slots of a chunk each, and where they have which. A hash has eight slots
/// that it may lie in, of which a new one takes that which was used the longest ago. Bytes are
/// found by their hash alone, so that whoever fetches a file, under whatever name, finds what it
/// shares with others, and nothing grows old.
///
/// Processes and threads share it without locks: what two of them write to one slot at a time, or
/// one that is killed leaves half written, has another hash than it is looked for by. So readers
/// compare what they read: whoever may write to the folder can make them fetch, and no more.
class ChunkCache {
 public:
  /// Opens the cache in `folder` with room for `bytes` of chunks, eight at least; both files are
  /// sparse. The folder is made if it is not there; files of a cache of another size are
  /// removed. Throws Error(io).
  ChunkCache(const std::filesystem::path& folder, std::uint64_t bytes);

  /// Reads what was kept by the hash, as long as `into`: false if there is nothing. The caller
  /// compares it.
  bool read(const Digest& hash, std::span<std::byte> into) noexcept;
  /// Keeps at most a chunk by its hash. What cannot be written is not kept.
  void keep(const Digest& hash, base::ByteView bytes) noexcept;

 private:
  struct Places;

  std::uint64_t first_place(const Digest& hash) const noexcept;

  std::uint64_t sets_;
  base::FileDescriptor places_;
  base::FileDescriptor slots_;
};

}  // namespace crivo::file
