// SPDX-License-Identifier: Apache-2.0
/// Filters that are a static function of each key's fingerprint: what they share.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter.hpp"

namespace crivo::retrieval {

enum class HashPart : std::uint8_t {
  whole,       ///< both halves of the hash
  first_half,  ///< (hi, hi): of filters. Keys that share the first half must have one value.
};

}  // namespace crivo::retrieval

namespace crivo::filter {

inline constexpr unsigned kMaxFingerprintBits = 32;

/// Answers from a static function `Table`, which has size(), width(), rate(), and contains() of one
/// hash and of many.
template <typename Table>
class FingerprintFilter final : public Membership {
 public:
  /// Throws Error(corrupt) if the table's values are wider than fingerprints can be.
  explicit FingerprintFilter(Table table) : table_(std::move(table)) {
    if (table_.width() > kMaxFingerprintBits) {
      throw Error(ErrorKind::corrupt, "filter section: has fingerprints of more than 32 bits");
    }
  }

  std::uint64_t size() const noexcept override { return table_.size(); }
  double fpr() const noexcept override { return table_.rate(); }
  bool contains(Hash128 hash) const noexcept override { return table_.contains(hash); }
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    table_.contains(hashes, answers);
  }
  detail::FilterLookup lookup() const noexcept override { return table_.lookup(); }

 private:
  Table table_;
};

}  // namespace crivo::filter
