// SPDX-License-Identifier: Apache-2.0
/// XXH3's 64-bit hash of bytes that come piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct XXH3_state_s;

namespace crivo::hashing {

/// The hash of all pieces one after the other, as XXH3_64bits() has it of the whole.
class StreamHash {
 public:
  /// Throws std::bad_alloc.
  StreamHash();

  void add(std::span<const std::byte> piece) noexcept;
  /// Forgets what was added.
  void reset() noexcept;
  /// The hash of what was added so far.
  std::uint64_t value() const noexcept;

 private:
  struct FreeState {
    void operator()(XXH3_state_s* state) const noexcept;
  };
  std::unique_ptr<XXH3_state_s, FreeState> state_;
};

}  // namespace crivo::hashing
