// SPDX-License-Identifier: Apache-2.0
#include "records/content_hash.hpp"

#include <xxhash.h>

#include <new>

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

}  // namespace crivo::records
