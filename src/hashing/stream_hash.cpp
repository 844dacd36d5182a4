// SPDX-License-Identifier: Apache-2.0
#include "hashing/stream_hash.hpp"

#include <xxhash.h>

#include <new>

namespace crivo::hashing {

void StreamHash::FreeState::operator()(XXH3_state_s* state) const noexcept {
  XXH3_freeState(state);
}

StreamHash::StreamHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  reset();
}

void StreamHash::reset() noexcept {
  XXH3_64bits_reset(state_.get());
}

void StreamHash::add(std::span<const std::byte> piece) noexcept {
  XXH3_64bits_update(state_.get(), piece.data(), piece.size());
}

std::uint64_t StreamHash::value() const noexcept {
  return XXH3_64bits_digest(state_.get());
}

}  // namespace crivo::hashing
