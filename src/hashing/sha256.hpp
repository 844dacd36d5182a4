// SPDX-License-Identifier: Apache-2.0
/// SHA-256, of which the hash trees of files are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/cpu.hpp"

namespace crivo::hashing {

using Sha256Value = std::array<std::byte, 32>;

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece: about 1.7 GB a second where the
/// processor has instructions for it, 0.4 where it has none. Our own, so that a program built
/// without libcrypto writes the same files.
class Sha256 {
 public:
  /// The quickest for processors that have `cpu`, which this one must. Throws what base::cpu()
  /// does.
  explicit Sha256(base::Cpu cpu = base::cpu());

  Sha256& add(base::ByteView piece) noexcept;
  /// The hash of what was added so far.
  Sha256Value value() const noexcept;
  /// Forgets what was added.
  void reset() noexcept;
  /// The values of two runs of bytes at once: where the processor has instructions for SHA-256, in
  /// half the time if they are about as long, as each waits for its own results only.
  static std::array<Sha256Value, 2> of_both(base::ByteView first, base::ByteView second,
                                            base::Cpu cpu = base::cpu());

  static constexpr std::size_t kBlockBytes = 64;
  using State = std::array<std::uint32_t, 8>;
  /// Takes `count` whole blocks into each of a number of states.
  using AddBlocks = void (*)(State* states, const std::byte* const* blocks,
                             std::size_t count) noexcept;
  struct Kernels {
    AddBlocks of_one;
    AddBlocks of_two;
  };

 private:
  /// The rest of the bytes, with what is added at their end.
  struct LastBlocks {
    std::array<std::byte, 2 * kBlockBytes> bytes;
    std::size_t count;
  };
  LastBlocks last_blocks() const noexcept;
  void add_blocks(const std::byte* blocks, std::size_t count) noexcept {
    kernels_.of_one(&state_, &blocks, count);
  }

  Kernels kernels_;
  State state_{};
  std::uint64_t bytes_ = 0;
  std::array<std::byte, kBlockBytes> begun_{};  ///< the block that is not whole yet
};

/// The SHA-256 of bytes. O(bytes.size()).
Sha256Value sha256(base::ByteView bytes);

}  // namespace crivo::hashing
