/// Approximate-membership filters: key -> "maybe" or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/hash.hpp"

namespace crivo {

/// A filter in a mapped file: it says true for each key that it was built over, and for a fraction
/// fpr() of all other keys.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, throw nothing,
/// and read no byte outside the file, whatever it holds. Movable; not copyable.
class Filter {
 public:
  /// Maps a file that `crivo build filter` or build_filter() wrote, and checks its header and
  /// structure in time that does not grow with n. Throws Error: corrupt, too_new, too_old, io, or
  /// usage if the file holds something else than a filter.
  static Filter open(const std::filesystem::path& path);

  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept;
  /// The seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return seed_; }
  /// The designed false-positive rate.
  double fpr() const noexcept;

  /// False: the key is surely not in the set. True: it is, or it is one of the false positives. A
  /// number is the key of its 8 bytes, the lowest first.
  bool contains(std::string_view key) const noexcept { return contains(hash(key)); }
  bool contains(std::span<const std::byte> key) const noexcept { return contains(hash(key)); }
  bool contains(std::uint64_t key) const noexcept { return contains(hash(key)); }
  /// The same for a key's hash(key).
  bool contains(Hash128 hash) const noexcept;

  /// What this filter looks a key up by: hash_key(key, seed()), but for type split-block-bloom,
  /// whose hash is that of Parquet's filters.
  Hash128 hash(std::string_view key) const noexcept {
    return has_usual_hash_ ? hash_key(key, seed_) : other_hash(key);
  }
  Hash128 hash(std::span<const std::byte> key) const noexcept {
    return hash(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()));
  }
  Hash128 hash(std::uint64_t key) const noexcept {
    return has_usual_hash_ ? hash_key(key, seed_) : other_hash(key);
  }

  /// Whether it has counters, which count() tells.
  bool counts() const noexcept;
  /// How often a key was added less how often it was removed, or more: the least of the counters of
  /// the key, which others share and which stop at their limit. Without counters 1 for what the
  /// filter contains and otherwise 0.
  std::uint64_t count(std::string_view key) const noexcept { return count(hash(key)); }
  std::uint64_t count(Hash128 hash) const noexcept;

  /// answers[i] = contains(keys[i]) for as many as both spans have, with the cache misses of a
  /// block of keys overlapped: the way to look up many.
  void contains(std::span<const std::string_view> keys, std::span<bool> answers) const noexcept;
  void contains(std::span<const std::span<const std::byte>> keys,
                std::span<bool> answers) const noexcept;
  void contains(std::span<const std::uint64_t> keys, std::span<bool> answers) const noexcept;
  void contains(std::span<const Hash128> hashes, std::span<bool> answers) const noexcept;

 private:
  struct Impl;
  explicit Filter(std::unique_ptr<const Impl> impl) noexcept;
  static Hash128 other_hash(std::string_view key) noexcept;
  static Hash128 other_hash(std::uint64_t key) noexcept;

  std::unique_ptr<const Impl> impl_;
  std::uint64_t seed_;
  bool has_usual_hash_;
};

}  // namespace crivo
