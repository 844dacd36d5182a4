/// Static functions: key -> value, without the keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/hash.hpp"

namespace crivo {

/// A static function in a mapped file: it gives each of the n keys that it was built over the value
/// that it was built with (its line number, or a number of its own). Built with signatures it also
/// refuses keys outside the set, all but 2^-signature_bits() of them; without, any key gets some
/// value.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, throw nothing,
/// and read no byte outside the file, whatever it holds. Movable; not copyable.
class Map {
 public:
  /// Maps a file that `crivo build map` or build_map() wrote, and checks its header and structure
  /// in time that grows with n only by one step for some 10^6 keys. Throws Error: corrupt, too_new,
  /// too_old, io, or usage if the file holds something else than a map.
  static Map open(const std::filesystem::path& path);

  ~Map();
  Map(Map&&) noexcept;
  Map& operator=(Map&&) noexcept;

  /// n, the number of keys.
  std::uint64_t size() const noexcept;
  /// The seed that hash_key() needs for this file.
  std::uint64_t seed() const noexcept { return seed_; }
  /// Values are below 2^value_bits(). At least 1, but for a compressed map of values that are all
  /// 0.
  unsigned value_bits() const noexcept;
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept;

  /// The value of a key, or nothing if it is surely not in the set. About one cache miss for each
  /// 64 bits of value and signature, and one or two more. A number is the key of its 8 bytes, the
  /// lowest first.
  std::optional<std::uint64_t> lookup(std::string_view key) const noexcept {
    return lookup(hash_key(key, seed_));
  }
  std::optional<std::uint64_t> lookup(std::span<const std::byte> key) const noexcept {
    return lookup(hash_key(key, seed_));
  }
  std::optional<std::uint64_t> lookup(std::uint64_t key) const noexcept {
    return lookup(hash_key(key, seed_));
  }
  /// The same for a key's hash_key(key, seed()).
  std::optional<std::uint64_t> lookup(Hash128 hash) const noexcept;

  /// For as many as all three spans have: present[i] is whether lookup(keys[i]) has a value, and
  /// values[i] is that, or 0. The cache misses of a block of keys overlap: the way to look up many.
  void lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> values,
              std::span<bool> present) const noexcept;
  void lookup(std::span<const std::span<const std::byte>> keys, std::span<std::uint64_t> values,
              std::span<bool> present) const noexcept;
  void lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values,
              std::span<bool> present) const noexcept;
  void lookup(std::span<const Hash128> hashes, std::span<std::uint64_t> values,
              std::span<bool> present) const noexcept;

 private:
  struct Impl;
  explicit Map(std::unique_ptr<const Impl> impl) noexcept;

  std::uint64_t seed_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
