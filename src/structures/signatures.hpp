// SPDX-License-Identifier: Apache-2.0
/// Fingerprints in rank order, by which an MPHF refuses keys that are not in its set.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "structures/mphf.hpp"
#include "structures/part_signatures.hpp"

namespace crivo::mphf {

/// An array of n fingerprints of 8, 16 or 32 bits, the top bits of Hash128::lo of the key with each
/// rank, over mapped bytes. An absent key matches with probability 2^-bits. Bounded on any bytes.
class Signatures {
 public:
  /// No signatures: every rank matches.
  Signatures() = default;
  /// Checks the section of a function over `keys` keys; throws Error(corrupt).
  Signatures(const base::CheckedBytes& section, std::uint64_t keys);
  /// Those of parts.
  explicit Signatures(PartSignatures parts)
      : bits_(parts.bits()),
        form_(kOfParts),
        parts_(std::make_shared<const PartSignatures>(std::move(parts))) {}

  unsigned bits() const noexcept { return bits_; }

  /// Whether the key with this hash may be the one with this rank, which is below n.
  bool match(std::uint64_t rank, Hash128 hash) const noexcept {
    if (form_ >= 8) pages_.touch(data_ + rank * (bits_ / 8), bits_ / 8);
    // Not a switch, which would be a jump by a table.
    if (form_ == 8) return base::load_le<std::uint8_t>(data_ + rank) == hash.lo >> 56;
    if (form_ == 16) return base::load_le<std::uint16_t>(data_ + 2 * rank) == hash.lo >> 48;
    if (form_ == 32) return base::load_le<std::uint32_t>(data_ + 4 * rank) == hash.lo >> 32;
    return form_ != kOfParts || parts_->match(rank, hash);
  }
  void prefetch(std::uint64_t rank) const noexcept {
    if (form_ >= 8) {
      __builtin_prefetch(data_ + rank * (bits_ / 8));
    } else if (form_ == kOfParts) {
      parts_->prefetch(rank);
    }
  }

 private:
  static constexpr unsigned kOfParts = 1;

  unsigned bits_ = 0;
  unsigned form_ = 0;  ///< the bits of one array, 0 without any, or kOfParts
  const std::byte* data_ = nullptr;
  base::Pages pages_;
  std::shared_ptr<const PartSignatures> parts_;
};

inline Signatures::Signatures(const base::CheckedBytes& section, std::uint64_t keys)
    : pages_(section.checks) {
  constexpr std::uint64_t kHeaderBytes = 64;
  base::FieldReader r(section, "signatures");
  bits_ = r.u32();
  r.zeros(4);
  const std::uint64_t count = r.u64();
  r.zeros(kHeaderBytes - 16);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (count != keys || r.remaining() / (bits_ / 8) != count || r.remaining() % (bits_ / 8) != 0) {
    r.fail("their number is not that of the keys");
  }
  form_ = bits_;
  data_ = r.take(r.remaining()).data();
}

}  // namespace crivo::mphf
