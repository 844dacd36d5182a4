// SPDX-License-Identifier: Apache-2.0
/// Minimal perfect hash functions: key -> rank.
///
///     const crivo::Mphf ranks = crivo::Mphf::open("keys.crv");
///     ++counts[ranks.lookup(key)];
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/detail/phast_level.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// Asks a minimal perfect hash function in a mapped file, which gives each of the n keys that it
/// was built over a rank of its own in [0, n). Built with signatures it also refuses keys outside
/// the set, all but 2^-signature_bits() of them; without, any key gets some rank.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside the file, whatever it holds. They throw nothing but Error(usage): those by a
/// KeyHash if another function made it than hash_function(), and batches if they have not exactly
/// one place for each key. Movable; not copyable.
class CRIVO_API Mphf {
 public:
  /// Is answered for a key that is surely not in the set.
  static constexpr std::uint64_t kAbsent = UINT64_MAX;

  /// Maps a file that `crivo build mphf` or build_mphf() wrote, and checks its header and structure
  /// in time that does not grow with n. Replace the file by rename, never in place: see OpenMode.
  /// Throws Error: corrupt, too_new, too_old, io, or usage if the file holds something else than an
  /// MPHF.
  static Mphf open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Mphf open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Mphf();
  Mphf(Mphf&&) noexcept;
  Mphf& operator=(Mphf&&) noexcept;

  /// Returns n, the number of keys.
  std::uint64_t size() const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return seed_; }
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;
  /// Returns what keys are hashed with here.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept;

  /// Returns the rank of a key, or kAbsent. About one cache miss, two with signatures. A number is
  /// the key of its 8 bytes, the lowest first; only 64-bit integers are keys.
  [[gnu::always_inline]] std::uint64_t lookup(std::string_view key) const noexcept {
    return rank_of(key);
  }
  [[gnu::always_inline]] std::uint64_t lookup(std::span<const std::byte> key) const noexcept {
    return rank_of(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()));
  }
  template <KeyNumber Number>
  [[gnu::always_inline]] std::uint64_t lookup(Number key) const noexcept {
    return rank_of(static_cast<std::uint64_t>(key));
  }
  template <NoKey T>
  std::uint64_t lookup(T) const = delete;
  /// Does the same for a key's hash(key), or that of an equal hash_function(). Like the others,
  /// inlined for 99 of 100 keys of a function of more than 64 keys that `fast` or `compact` built
  /// without signatures.
  [[gnu::always_inline]] std::uint64_t lookup(const KeyHash& hash) const {
    const detail::Hash128& bits = detail::HashAccess::checked(hash_function_, hash);
    std::uint64_t rank;
    return hashes_by_level_ && level_.find(bits.hi, rank) ? rank : rank_of_hash(bits);
  }

  /// Does the same for a key that hashes itself.
  std::uint64_t lookup(const Key& key) const { return lookup(key.hash(hash_function_)); }

  /// hash_function()(key).
  KeyHash hash(std::string_view key) const noexcept { return hash_function_(key); }
  KeyHash hash(std::span<const std::byte> key) const noexcept { return hash_function_(key); }
  template <KeyNumber Number>
  KeyHash hash(Number key) const noexcept {
    return hash_function_(key);
  }
  template <NoKey T>
  KeyHash hash(T) const = delete;

  /// ranks[i] = lookup(keys[i]), with the cache misses of a block of keys overlapped: the way to
  /// look up many. Both spans are of one length.
  void lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> ranks) const;
  void lookup(std::span<const std::span<const std::byte>> keys,
              std::span<std::uint64_t> ranks) const;
  void lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> ranks) const;
  void lookup(std::span<const KeyHash> hashes, std::span<std::uint64_t> ranks) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void lookup(const Keys& keys, std::span<std::uint64_t> ranks) const {
    detail::check_batch(detail::count_texts(keys), ranks.size());
    detail::for_each_view_block(keys,
                                [&](std::span<const std::string_view> some, std::size_t begin) {
                                  lookup(some, ranks.subspan(begin, some.size()));
                                });
  }

 private:
  struct CRIVO_LOCAL Impl;
  explicit Mphf(std::unique_ptr<const Impl> impl);

  template <typename Key>
  [[gnu::always_inline]] std::uint64_t rank_of(Key key) const noexcept {
    if (keys_by_level_) [[likely]] {
      std::uint64_t rank;
      if (level_.find(detail::HashAccess::first_half(hash_function_, key), rank)) [[likely]]
        return rank;
    }
    return rank_of_any(key);
  }

  /// Ranks keys that level_ bumps, and any others. Pure, so that a loop of lookups can keep level_
  /// in registers.
  [[gnu::pure]] std::uint64_t rank_of_any(std::string_view key) const noexcept;
  [[gnu::pure]] std::uint64_t rank_of_any(std::uint64_t key) const noexcept;
  [[gnu::pure]] std::uint64_t rank_of_hash(detail::Hash128 hash) const noexcept;
  template <typename Key>
  std::uint64_t rank_after_level(const Key& key) const noexcept;

  detail::PhastLevel level_;
  bool hashes_by_level_ = false;  ///< whether level_ has buckets
  bool keys_by_level_ = false;    ///< and keys are hashed by the usual key hash
  HashFunction hash_function_;
  std::uint64_t seed_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
