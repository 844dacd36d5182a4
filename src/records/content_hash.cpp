// SPDX-License-Identifier: Apache-2.0
#include "records/content_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records {

void ContentHash::FreeState::operator()(XXH3_state_s* state) const noexcept {
  XXH3_freeState(state);
}

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void ContentHash::add_group(base::ByteView group) noexcept {
  XXH3_128bits_update(state_.get(), group.data(), group.size());
}

ContentId ContentHash::finish(base::ByteView codec_section, std::uint64_t records,
                              std::uint64_t key_seed) noexcept {
  ContentId id;
  XXH3_128bits_update(state_.get(), codec_section.data(), codec_section.size());
  for (const std::uint64_t number : {std::uint64_t{codec_section.size()}, records, key_seed}) {
    base::store_le(id.data(), number);
    XXH3_128bits_update(state_.get(), id.data(), sizeof number);
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  base::store_le(id.data(), std::uint64_t{hash.low64});
  base::store_le(id.data() + 8, std::uint64_t{hash.high64});
  return id;
}

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
