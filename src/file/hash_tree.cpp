// SPDX-License-Identifier: Apache-2.0
#include "file/hash_tree.hpp"

#include <algorithm>
#include <utility>

#include "file/layout.hpp"

namespace crivo::file::tree {
namespace {

using hashing::sha256;
using layout::kChunkBytes;

/// The bytes of the list of what a section or list of so many bytes is cut into.
constexpr std::uint64_t list_bytes(std::uint64_t bytes) noexcept {
  return layout::chunks_of(bytes) * kHashBytes;
}

/// Calls use(piece, where it begins) for each piece of the bytes.
template <typename Use>
void for_each_piece(base::ByteView bytes, Use&& use) {
  for (std::uint64_t at = 0; at < bytes.size(); at += kChunkBytes) {
    use(bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at)), at);
  }
}

}  // namespace

std::uint64_t bytes_of_lists(std::uint64_t section_bytes) noexcept {
  std::uint64_t list = list_bytes(section_bytes);
  if (list <= kHashBytes) return 0;
  std::uint64_t all = list;
  while (list > kChunkBytes) {
    list = list_bytes(list);
    all += list;
  }
  return all;
}

Lists lists_of(base::Bytes leaves) {
  Lists lists{std::move(leaves), {}};
  std::size_t last = 0;  // where the last list begins
  while (lists.bytes.size() - last > kChunkBytes) {
    base::Bytes next;
    for_each_piece(base::ByteView(lists.bytes).subspan(last), [&](base::ByteView piece, auto) {
      const Digest hash = sha256(piece);
      next.insert(next.end(), hash.begin(), hash.end());
    });
    last = lists.bytes.size();
    lists.bytes.insert(lists.bytes.end(), next.begin(), next.end());
  }
  lists.hash = sha256(base::ByteView(lists.bytes).subspan(last));
  return lists;
}

std::optional<std::uint64_t> find_fault(base::ByteView lists, std::uint64_t section_bytes,
                                        const Digest& hash) {
  std::uint64_t at = 0;
  std::uint64_t bytes = list_bytes(section_bytes);
  std::optional<std::uint64_t> fault;
  for (; bytes > kChunkBytes; bytes = list_bytes(bytes)) {
    const base::ByteView above = lists.subspan(at + bytes, list_bytes(bytes));
    for_each_piece(lists.subspan(at, bytes), [&](base::ByteView piece, std::uint64_t begin) {
      const base::ByteView wanted = above.subspan(begin / kChunkBytes * kHashBytes, kHashBytes);
      if (!fault && !std::ranges::equal(sha256(piece), wanted)) fault = at + begin;
    });
    at += bytes;
  }
  if (!fault && sha256(lists.subspan(at, bytes)) != hash) fault = at;
  return fault;
}

}  // namespace crivo::file::tree
