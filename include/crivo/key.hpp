// SPDX-License-Identifier: Apache-2.0
/// Keys and their hashes: a key that is looked up in several structures is hashed once.
///
///     const crivo::Key key("http://a.example/");
///     if (filter.contains(key)) rank = mphf.rank(key);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "crivo/detail/export.hpp"
#include "crivo/detail/hash128.hpp"

namespace crivo {

namespace hashing {
enum class KeyHashId : std::uint32_t;
}
namespace hashing {
class PreparedHash;
}
namespace detail {
struct HashAccess;
}

/// The seed of a build that names none.
inline constexpr std::uint64_t kDefaultSeed = 0;

/// The numbers that are keys: integers of exactly 64 bits. A number is the key of its 8 bytes, the
/// lowest first, as `--fixed 8` reads them; a negative one that of its two's complement.
template <typename T>
concept KeyNumber = std::integral<T> && sizeof(T) == 8;

/// Holds of what is no key, though it would turn into one unasked: another number than one of 64
/// bits (write std::uint64_t{n}, if you mean its 8 bytes), a character, a bool, a null pointer.
/// Lookups by it are deleted.
template <typename T>
concept NoKey = (std::is_arithmetic_v<T> && !KeyNumber<T>) || std::is_null_pointer_v<T>;

/// Holds a key's hash, and a tag of the function that made it. Made by a structure's hash() or by
/// its hash_function(), and taken by every structure whose hash_function() is equal; any other
/// refuses it. One that was never assigned is refused by all. Its bits are nobody's business: they
/// are neither to be stored nor to be taken for random numbers.
class CRIVO_API KeyHash {
 public:
  KeyHash() = default;

  /// Returns whether one function made both, of keys that are (but for a collision) equal.
  friend bool operator==(const KeyHash&, const KeyHash&) = default;

 private:
  friend class HashFunction;
  friend struct detail::HashAccess;
  KeyHash(const detail::Hash128& bits, std::uint64_t tag) noexcept : bits_(bits), tag_(tag) {}

  detail::Hash128 bits_;
  std::uint64_t tag_ = 0;
};

/// Hashes the keys of a structure: a key hash of some name under some seed. A structure's
/// hash_function() says which; where two are equal, a key that is asked of both is hashed once:
///
///     if (filter.hash_function() == mphf.hash_function()) {
///       const KeyHash hash = filter.hash(key);
///       if (filter.contains(hash)) use(mphf.lookup(hash));
///     }
///
/// Files that were built with one seed (all that name none) have equal functions, unless a
/// collision made a build take the next seed, or a file's algorithm or type has a key hash of its
/// own. Small, copied at will, and of use after its structure is gone. Safe for any number of
/// threads.
class CRIVO_API HashFunction {
 public:
  /// Returns the hash of a key: a text, bytes or a number. O(size of the key); some 2 ns for a
  /// number and 10 for a URL with the usual key hash. A structure's lookup by a key may need no
  /// more than the first half of it, and takes less time for that.
  KeyHash operator()(std::string_view key) const noexcept { return {raw(key), tag_}; }
  KeyHash operator()(std::span<const std::byte> key) const noexcept { return {raw(key), tag_}; }
  template <KeyNumber Number>
  KeyHash operator()(Number key) const noexcept {
    return {raw(static_cast<std::uint64_t>(key)), tag_};
  }
  template <NoKey T>
  KeyHash operator()(T) const = delete;

  /// hashes[i] = the hash of keys[i]. Throws Error(usage) if the spans differ in length.
  void operator()(std::span<const std::string_view> keys, std::span<KeyHash> hashes) const;
  void operator()(std::span<const std::span<const std::byte>> keys,
                  std::span<KeyHash> hashes) const;
  void operator()(std::span<const std::uint64_t> keys, std::span<KeyHash> hashes) const;

  /// Returns the key hash: "xxh3", the usual one, "siphash" (BuildOptions::keyed_hash), "xxh64" (of
  /// split-block-bloom filters, whatever their seed), "range" (of range filters), "universal",
  /// "zobrist" or "jenkins".
  std::string_view name() const noexcept;
  /// Returns the seed that it has; 0 for one that takes none.
  std::uint64_t seed() const noexcept { return seed_; }

  friend bool operator==(const HashFunction& a, const HashFunction& b) noexcept {
    return a.id_ == b.id_ && a.seed_ == b.seed_;
  }

 private:
  friend struct detail::HashAccess;
  HashFunction(hashing::KeyHashId id, std::uint64_t seed);

  detail::Hash128 raw(std::string_view key) const noexcept {
    return is_usual_ ? detail::hash_key(key, seed_of_texts_) : other(key);
  }
  detail::Hash128 raw(std::span<const std::byte> key) const noexcept {
    return raw(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()));
  }
  detail::Hash128 raw(std::uint64_t key) const noexcept {
    return is_usual_ ? detail::hash_key(key, seed_) : other(key);
  }
  /// raw() by another key hash than the usual one. Pure, so that a loop of lookups need not read
  /// the structure again after each.
  [[gnu::pure]] detail::Hash128 other(std::string_view key) const noexcept;
  [[gnu::pure]] detail::Hash128 other(std::uint64_t key) const noexcept;

  std::uint64_t tag_;
  /// Has a type that no array of answers has: so a loop which stores answers may keep it, and what
  /// is made of it, in registers.
  unsigned long long seed_;
  detail::xxh3::SeedOf4To8 seed_of_numbers_;  ///< what the usual key hash makes of the seed
  detail::xxh3::PreparedSeed seed_of_texts_;  ///< the same for texts
  hashing::KeyHashId id_;
  bool is_usual_;
  std::shared_ptr<const hashing::PreparedHash> prepared_;  ///< where the key hash has tables
};

namespace detail {

/// How structures make hash functions, and read the hashes they are given. Not an interface.
struct CRIVO_API HashAccess {
  static HashFunction function(hashing::KeyHashId id, std::uint64_t seed) { return {id, seed}; }
  static hashing::KeyHashId id(const HashFunction& function) noexcept { return function.id_; }
  static const hashing::PreparedHash* prepared(const HashFunction& function) noexcept {
    return function.prepared_.get();
  }

  /// Returns whether there is a first_half().
  static bool is_usual(const HashFunction& function) noexcept { return function.is_usual_; }
  /// raw(function, key).hi, compiled into its caller, if function.is_usual_.
  template <typename Key>
  [[gnu::always_inline]] static std::uint64_t first_half(const HashFunction& function,
                                                         Key key) noexcept {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      return detail::first_half(key, function.seed_of_numbers_);
    } else {
      return detail::first_half(key, function.seed_of_texts_);
    }
  }
  /// Returns what a structure with `function` looks `key` up by.
  template <typename Key>
  static Hash128 raw(const HashFunction& function, const Key& key) noexcept {
    return function.raw(key);
  }
  /// Does the same with a hash that `function` made. Throws Error(usage) if another did.
  static const Hash128& checked(const HashFunction& function, const KeyHash& hash) {
    if (!made(function, hash)) [[unlikely]]
      refuse(function, hash);
    return hash.bits_;
  }
  /// checked() in two steps, for many at once.
  static bool made(const HashFunction& function, const KeyHash& hash) noexcept {
    return hash.tag_ == function.tag_;
  }
  static const Hash128& bits(const KeyHash& hash) noexcept { return hash.bits_; }
  /// Returns the KeyHash that `function` would make of a key with these bits.
  static KeyHash tagged(const HashFunction& function, const Hash128& bits) noexcept {
    return {bits, function.tag_};
  }

 private:
  [[noreturn, gnu::cold]] static void refuse(const HashFunction& function, const KeyHash& hash);
};

}  // namespace detail

/// The longest key, in bytes.
inline constexpr std::uint64_t kMaxKeyBytes = std::uint64_t{1} << 20;
/// The longest record of a store, in bytes.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 26;

/// Holds a key, which hashes itself when it is first asked for its hash: what looks up by the text
/// alone costs no hash, and structures with an equal hash_function() share one. Of one thread; the
/// text must outlive it.
class Key {
 public:
  explicit Key(std::string_view text) noexcept : text_(text) {}

  std::string_view text() const noexcept { return text_; }
  /// function(text()). Kept until another function is asked for.
  const KeyHash& hash(const HashFunction& function) const noexcept {
    if (!detail::HashAccess::made(function, hash_)) hash_ = function(text_);
    return hash_;
  }

 private:
  std::string_view text_;
  mutable KeyHash hash_;
};

}  // namespace crivo
