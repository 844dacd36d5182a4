// SPDX-License-Identifier: Apache-2.0
/// Static functions: key -> value, without the keys.
///
///     const crivo::Map prices = crivo::Map::open("prices.crv");
///     if (const auto found = prices.lookup("4711")) use(found.value);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

struct FileInfo;

/// Asks a static function in a mapped file, which gives each of the n keys that it was built over
/// the value that it was built with (its line number, or a number of its own). Built with
/// signatures it also refuses keys outside the set, all but 2^-signature_bits() of them; without,
/// any key gets some value.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside the file, whatever it holds. One that rests on damaged bytes says so, but where
/// these were not to be checked (OpenCheck). They throw nothing but Error(usage): those by a
/// KeyHash if another function made it than hash_function(), and batches if they have not exactly
/// one place for each key; and batches Error(corrupt) where they are given no place for what is
/// damaged. Movable; not copyable.
class CRIVO_API Map {
 public:
  /// Maps a file that `crivo build map` or build_map() wrote, and checks its header and structure
  /// in time that grows with n only by one step for some 10^6 keys. Replace the file by rename,
  /// never in place: see OpenMode. Throws Error: corrupt, too_new, too_old, io, or usage if the
  /// file holds something else than a map.
  static Map open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Map open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Map();
  Map(Map&&) noexcept;
  Map& operator=(Map&&) noexcept;

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
  /// Unsigned values are below 2^value_bits(), others from -2^(value_bits() - 1) on and below
  /// 2^(value_bits() - 1). At least 1, but for a compressed map of values that are all
  /// 0.
  unsigned value_bits() const noexcept;
  /// Returns what the values are.
  const ValueForm& value_form() const noexcept { return form_; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept;

  enum class Status : std::uint8_t {
    absent,
    found,
    damaged,  ///< nobody can tell: bytes that the answer rests on fail their sum
  };
  /// Tells what lookup() found. In a condition, whether it is a value.
  struct Answer {
    std::uint64_t value = 0;  ///< if found
    Status status = Status::absent;

    bool has_value() const noexcept { return status == Status::found; }
    explicit operator bool() const noexcept { return has_value(); }
    /// Returns the value that there is.
    std::uint64_t operator*() const noexcept { return value; }
    std::uint64_t value_or(std::uint64_t other) const noexcept {
      return has_value() ? value : other;
    }
    bool is_damaged() const noexcept { return status == Status::damaged; }
    friend bool operator==(const Answer&, const Answer&) = default;
    friend bool operator==(const Answer& answer, std::uint64_t number) noexcept {
      return answer.has_value() && answer.value == number;
    }
  };

  /// Returns the value of a key, or none if it is surely not in the set. About one cache miss for
  /// each 64 bits of value and signature, and one or two more. A number is the key of its 8 bytes,
  /// the lowest first; only 64-bit integers are keys. Signed values and decimals are integers in
  /// two's complement, for std::int64_t, and value_text(value, value_form()) writes any.
  Answer lookup(std::string_view key) const noexcept { return find(raw(key)); }
  Answer lookup(std::span<const std::byte> key) const noexcept { return find(raw(key)); }
  template <KeyNumber Number>
  Answer lookup(Number key) const noexcept {
    return find(raw(static_cast<std::uint64_t>(key)));
  }
  template <NoKey T>
  Answer lookup(T) const = delete;
  /// Does the same for a key's hash(key), or that of an equal hash_function().
  Answer lookup(const KeyHash& hash) const {
    return find(detail::HashAccess::checked(hash_function_, hash));
  }
  /// Does the same for a key that hashes itself.
  Answer lookup(const Key& key) const { return lookup(key.hash(hash_function_)); }

  /// hash_function()(key).
  KeyHash hash(std::string_view key) const noexcept { return hash_function_(key); }
  KeyHash hash(std::span<const std::byte> key) const noexcept { return hash_function_(key); }
  template <KeyNumber Number>
  KeyHash hash(Number key) const noexcept {
    return hash_function_(key);
  }
  template <NoKey T>
  KeyHash hash(T) const = delete;

  /// present[i] is whether lookup(keys[i]) has a value, and values[i] is that, or 0; damaged[i] is
  /// whether nobody can tell, for which an empty span has no place: then that is Error(corrupt).
  /// The cache misses of a block of keys overlap: the way to look up many. All spans are of one
  /// length.
  void lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> values,
              std::span<bool> present, std::span<bool> damaged = {}) const;
  void lookup(std::span<const std::span<const std::byte>> keys, std::span<std::uint64_t> values,
              std::span<bool> present, std::span<bool> damaged = {}) const;
  void lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values,
              std::span<bool> present, std::span<bool> damaged = {}) const;
  void lookup(std::span<const KeyHash> hashes, std::span<std::uint64_t> values,
              std::span<bool> present, std::span<bool> damaged = {}) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void lookup(const Keys& keys, std::span<std::uint64_t> values, std::span<bool> present,
              std::span<bool> damaged = {}) const {
    const std::size_t count = detail::count_texts(keys);
    detail::check_batch(count, values.size());
    detail::check_batch(count, present.size());
    if (!damaged.empty()) detail::check_batch(count, damaged.size());
    detail::for_each_view_block(
        keys, [&](std::span<const std::string_view> some, std::size_t begin) {
          lookup(some, values.subspan(begin, some.size()), present.subspan(begin, some.size()),
                 damaged.empty() ? damaged : damaged.subspan(begin, some.size()));
        });
  }

 private:
  struct CRIVO_LOCAL Impl;
  explicit Map(std::unique_ptr<const Impl> impl);

  template <typename Key>
  detail::Hash128 raw(const Key& key) const noexcept {
    return detail::HashAccess::raw(hash_function_, key);
  }
  Answer find(const detail::Hash128& hash) const noexcept {
    if (lookup_.value != nullptr) [[likely]] {
      const std::uint64_t value = lookup_.value(lookup_.function, hash.hi, hash.lo);
      if (!lookup_.damage->load(std::memory_order_relaxed)) [[likely]]
        return {value, Status::found};
    }
    return find_with_care(hash);
  }
  /// Looks up a key that may have no value, or where there is damage.
  Answer find_with_care(detail::Hash128 hash) const noexcept;

  detail::MapLookup lookup_;
  HashFunction hash_function_;
  std::uint64_t seed_;
  ValueForm form_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
