/// Minimal perfect hash functions: key -> rank.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/detail/phast_level.hpp"
#include "crivo/hash.hpp"

namespace crivo {

namespace keys {
class KeyHash;
}

/// A minimal perfect hash function in a mapped file: it gives each of the n keys that it was built
/// over a rank of its own in [0, n). Built with signatures it also refuses keys outside the set,
/// all but 2^-signature_bits() of them; without, any key gets some rank.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, throw nothing,
/// and read no byte outside the file, whatever it holds. Movable; not copyable.
class Mphf {
 public:
  /// What a lookup answers for a key that is surely not in the set.
  static constexpr std::uint64_t kAbsent = UINT64_MAX;

  /// Maps a file that `crivo build mphf` or build_mphf() wrote, and checks its header and structure
  /// in time that does not grow with n. Throws Error: corrupt, too_new, too_old, io, or usage if
  /// the file holds something else than an MPHF.
  static Mphf open(const std::filesystem::path& path);

  ~Mphf();
  Mphf(Mphf&&) noexcept;
  Mphf& operator=(Mphf&&) noexcept;

  /// n, the number of keys.
  std::uint64_t size() const noexcept;
  /// The seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return seed_; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept;

  /// The rank of a key, or kAbsent. About one cache miss, two with signatures. A number is the key
  /// of its 8 bytes, the lowest first.
  std::uint64_t lookup(std::string_view key) const noexcept { return lookup(hash(key)); }
  std::uint64_t lookup(std::span<const std::byte> key) const noexcept { return lookup(hash(key)); }
  std::uint64_t lookup(std::uint64_t key) const noexcept { return lookup(hash(key)); }
  /// The same for a key's hash(key). Inlined for 99 of 100 keys of a function that
  /// `fast` or `compact` built without signatures.
  std::uint64_t lookup(Hash128 hash) const noexcept {
    const std::uint32_t seed = level_->seed(level_->seed_place(hash));
    if (seed != 0) [[likely]]
      return level_->value(hash, seed);
    return lookup_bumped(hash);
  }

  /// What this function looks a key up by: hash_key(key, seed()), unless it was built with another
  /// key hash.
  Hash128 hash(std::string_view key) const noexcept {
    return prepared_ == nullptr ? hash_key(key, seed_) : prepared_hash(key);
  }
  Hash128 hash(std::span<const std::byte> key) const noexcept {
    return hash(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()));
  }
  Hash128 hash(std::uint64_t key) const noexcept {
    return prepared_ == nullptr ? hash_key(key, seed_) : prepared_hash(key);
  }

  /// ranks[i] = lookup(keys[i]) for as many as both spans have, with the cache misses of a block of
  /// keys overlapped: the way to look up many.
  void lookup(std::span<const std::string_view> keys,
              std::span<std::uint64_t> ranks) const noexcept;
  void lookup(std::span<const std::span<const std::byte>> keys,
              std::span<std::uint64_t> ranks) const noexcept;
  void lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> ranks) const noexcept;
  void lookup(std::span<const Hash128> hashes, std::span<std::uint64_t> ranks) const noexcept;

 private:
  struct Impl;
  explicit Mphf(std::unique_ptr<const Impl> impl) noexcept;

  /// lookup() of a hash that level_ bumps.
  std::uint64_t lookup_bumped(Hash128 hash) const noexcept;

  /// hash() by another key hash.
  Hash128 prepared_hash(std::string_view key) const noexcept;
  Hash128 prepared_hash(std::uint64_t key) const noexcept;

  const detail::PhastLevel* level_;
  std::uint64_t seed_;
  const keys::KeyHash* prepared_;  ///< null: hash_key()
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
