// SPDX-License-Identifier: Apache-2.0
/// A file of nothing but keys, as it is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/temp_file.hpp"
#include "build/key_text.hpp"
#include "file/pending_file.hpp"

namespace crivo::index {

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
