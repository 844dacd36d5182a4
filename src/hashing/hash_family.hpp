// SPDX-License-Identifier: Apache-2.0
/// The source of keys' 128-bit hashes: any function of a text and a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// A key hash under one seed, with all that is made of the seed. Immutable; safe for any number of
/// threads.
class PreparedHash {
 public:
  virtual ~PreparedHash() = default;
  virtual Hash128 operator()(std::string_view key) const noexcept = 0;
};

/// A key hash that makes nothing of its seed beforehand, such as hash_key().
using PlainHash = Hash128 (*)(std::string_view key, std::uint64_t seed) noexcept;

/// A key hash under any seed.
class HashFamily {
 public:
  using Prepare = std::function<std::unique_ptr<const PreparedHash>(std::uint64_t seed)>;

  HashFamily(PlainHash function) noexcept : function_(function) {}  // NOLINT: is one
  explicit HashFamily(Prepare prepare) : prepare_(std::move(prepare)) {}

 private:
  friend class SeededHash;

  PlainHash function_ = nullptr;
  Prepare prepare_;
};

/// One hash of a family.
class SeededHash {
 public:
  SeededHash(const HashFamily& family, std::uint64_t seed)
      : function_(family.function_), seed_(seed) {
    if (family.prepare_) prepared_ = family.prepare_(seed);
  }

  std::uint64_t seed() const noexcept { return seed_; }
  /// Whether it is hash_key(key, seed()), which is called faster by its name.
  bool is_hash_key() const noexcept { return function_ == static_cast<PlainHash>(hash_key); }

  Hash128 operator()(std::string_view key) const noexcept {
    return prepared_ != nullptr ? (*prepared_)(key) : function_(key, seed_);
  }

 private:
  PlainHash function_;
  std::uint64_t seed_;
  std::unique_ptr<const PreparedHash> prepared_;
};

}  // namespace crivo::hashing
