// SPDX-License-Identifier: Apache-2.0
#include "records/file_hash.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records {

std::uint64_t hash_file(const base::FileDescriptor& file, std::uint64_t size,
                        base::Progress* progress) {
  hashing::StreamHash hash;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    if (!file.read_at(at, piece)) throw Error(ErrorKind::corrupt, "the file is cut short");
    hash.add(piece);
    at += piece.size();
    if (progress != nullptr) progress->add(piece.size());
  }
  return hash.value();
}

}  // namespace crivo::records
