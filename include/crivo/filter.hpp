// SPDX-License-Identifier: Apache-2.0
/// Approximate-membership filters: key -> "maybe" or absent.
///
///     const crivo::Filter seen = crivo::Filter::open("seen.crv");
///     if (!seen.contains(url)) fetch(url);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "crivo/detail/export.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/detail/xxh3.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// How many times the rate that a filter was built for (the highest that was asked or, where none
/// was, that at its capacity) its designed rate may become by adding keys beyond its capacity.
inline constexpr double kMaxOverfill = 2;

/// Asks a filter in a mapped file, or a chain of one and the keys that deltas added to it
/// (crivo/build/edit.hpp): it says true for each of its keys, and for a fraction fpr() of all
/// others.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside the file, whatever it holds. They throw nothing but Error(usage): those by a
/// KeyHash if another function made it than hash_function(), and batches if they have not exactly
/// one place for each key. Movable; not copyable.
class CRIVO_API Filter {
 public:
  /// Maps a file that `crivo build filter` or build_filter() wrote, or a chain that apply_deltas()
  /// wrote with the files that it names, and checks headers and structure in time that grows with
  /// the number of deltas, not with n. Replace the file by rename, never in place: see
  /// OpenMode. Throws Error: corrupt, too_new, too_old, io, or usage if the file holds something
  /// else than a filter.
  static Filter open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Filter open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  /// Returns the number of keys it was built over, with those that deltas added.
  std::uint64_t size() const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return seed_; }
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;
  /// Returns what keys are hashed with here: for type split-block-bloom by the hash of Parquet's
  /// filters.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// Returns the designed false-positive rate.
  double fpr() const noexcept;

  /// False: the key is surely not in the set. True: it is, or it is one of the false positives. A
  /// number is the key of its 8 bytes, the lowest first (but see takes_ranges()); only 64-bit
  /// integers are keys.
  [[gnu::always_inline]] bool contains(std::string_view key) const noexcept {
    return contains_key(key);
  }
  [[gnu::always_inline]] bool contains(std::span<const std::byte> key) const noexcept {
    return contains_key(key);
  }
  template <KeyNumber Number>
  [[gnu::always_inline]] bool contains(Number key) const noexcept {
    return contains_key(static_cast<std::uint64_t>(key));
  }
  template <NoKey T>
  bool contains(T) const = delete;
  /// Does the same for a key's hash(key), or that of an equal hash_function().
  bool contains(const KeyHash& hash) const { return contains_raw(checked(hash)); }
  /// Does the same for a key that hashes itself.
  bool contains(const Key& key) const { return contains(key.hash(hash_function_)); }

  /// Returns whether it answers ranges: of type range. There a number stands for itself, and a text
  /// of at most 8 bytes for the number of its bytes, the highest first; no other text is a key.
  bool takes_ranges() const noexcept { return takes_ranges_; }
  /// False: there is surely no key from `low` to `high`, nor if `low` is above `high`. True: there
  /// may be one. Of ranges of at most FilterOptions::longest_range numbers without keys it says
  /// true for a fraction of at most fpr(), whichever they are; of longer ones for as many more as
  /// they are longer. A range costs a lookup for each 4096 numbers; of more than 2^24 it says true.
  /// Throws Error(usage) unless takes_ranges().
  bool contains_range(std::uint64_t low, std::uint64_t high) const;
  /// answers[i] = contains_range(lows[i], highs[i]), with the cache misses overlapped. Throws
  /// Error(usage) unless takes_ranges() and the spans are of one length.
  void contains_ranges(std::span<const std::uint64_t> lows, std::span<const std::uint64_t> highs,
                       std::span<bool> answers) const;

  /// hash_function()(key).
  KeyHash hash(std::string_view key) const noexcept { return hash_function_(key); }
  KeyHash hash(std::span<const std::byte> key) const noexcept { return hash_function_(key); }
  template <KeyNumber Number>
  KeyHash hash(Number key) const noexcept {
    return hash_function_(key);
  }
  template <NoKey T>
  KeyHash hash(T) const = delete;

  /// Returns whether it has counters, which count() tells.
  bool counts() const noexcept;
  /// Returns how often a key was added less how often it was removed, or more: the least of the
  /// counters of the key, which others share and which stop at their limit. Without counters 1 for
  /// what the filter contains and otherwise 0.
  std::uint64_t count(std::string_view key) const noexcept { return count_raw(raw(key)); }
  std::uint64_t count(std::span<const std::byte> key) const noexcept { return count_raw(raw(key)); }
  template <KeyNumber Number>
  std::uint64_t count(Number key) const noexcept {
    return count_raw(raw(static_cast<std::uint64_t>(key)));
  }
  template <NoKey T>
  std::uint64_t count(T) const = delete;
  std::uint64_t count(const KeyHash& hash) const { return count_raw(checked(hash)); }

  /// answers[i] = contains(keys[i]), with the cache misses of a block of keys overlapped: the way
  /// to look up many. Both spans are of one length.
  void contains(std::span<const std::string_view> keys, std::span<bool> answers) const;
  void contains(std::span<const std::span<const std::byte>> keys, std::span<bool> answers) const;
  void contains(std::span<const std::uint64_t> keys, std::span<bool> answers) const;
  void contains(std::span<const KeyHash> hashes, std::span<bool> answers) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void contains(const Keys& keys, std::span<bool> answers) const {
    detail::check_batch(detail::count_texts(keys), answers.size());
    detail::for_each_view_block(keys,
                                [&](std::span<const std::string_view> some, std::size_t begin) {
                                  contains(some, answers.subspan(begin, some.size()));
                                });
  }

 private:
  struct CRIVO_LOCAL Impl;
  explicit Filter(std::unique_ptr<const Impl> impl);

  template <typename Key>
  detail::Hash128 raw(const Key& key) const noexcept {
    return detail::HashAccess::raw(hash_function_, key);
  }
  const detail::Hash128& checked(const KeyHash& hash) const {
    return detail::HashAccess::checked(hash_function_, hash);
  }
  bool contains_raw(const detail::Hash128& hash) const noexcept { return lookup_.contains(hash); }
  template <typename Key>
  [[gnu::always_inline]] bool contains_key(Key key) const noexcept {
    using Form = detail::FilterLookup::Form;
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      // Apart from the other forms, whose hash is the same few instructions once more.
      if (key_form_ == Form::fuse_4)
        return lookup_.fuse_contains<4>(detail::HashAccess::first_half(hash_function_, key));
    }
    if (detail::FilterLookup::takes_first_half(key_form_)) [[likely]] {
      const std::uint64_t half = detail::HashAccess::first_half(hash_function_, key);
      if (key_form_ == Form::fuse_4) return lookup_.fuse_contains<4>(half);
      if (key_form_ == Form::fuse_3) return lookup_.fuse_contains<3>(half);
      return lookup_.call(lookup_.filter, half, 0);
    }
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (key_form_ == Form::xxh64) return lookup_.call(lookup_.filter, detail::xxh64(key), 0);
    }
    return contains_any(key);
  }
  /// By the whole hash, of any name. Pure and out of line, so that a loop of lookups has little
  /// else in it than what it does for each key.
  [[gnu::pure]] bool contains_any(std::string_view key) const noexcept;
  [[gnu::pure]] bool contains_any(std::span<const std::byte> key) const noexcept;
  [[gnu::pure]] bool contains_any(std::uint64_t key) const noexcept;
  std::uint64_t count_raw(detail::Hash128 hash) const noexcept;

  detail::FilterLookup lookup_;
  HashFunction hash_function_;
  bool takes_ranges_;
  detail::FilterLookup::Form key_form_;  ///< of lookups by keys: whole_hash unless theirs is usual
  std::uint64_t seed_;
  std::unique_ptr<const Impl> impl_;
};

/// Asks a filter over hashes that a program made itself, in bytes that build_filter_hashes() wrote
/// (crivo/build/build.hpp, formats/hash-filter.md): a piece of a file of the program's own, which
/// keeps the checksum. It says true for each of its hashes, and for a fraction fpr() of all others.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside of the bytes, whatever these hold. Movable; not copyable.
class CRIVO_API HashFilter {
 public:
  /// Checks headers and structure in time that does not grow with the number of hashes. The bytes,
  /// at any alignment, must outlive it. Throws Error(corrupt).
  static HashFilter open(std::span<const std::byte> bytes);

  ~HashFilter();
  HashFilter(HashFilter&&) noexcept;
  HashFilter& operator=(HashFilter&&) noexcept;

  /// Returns one of hash_filter_types().
  std::string_view type() const noexcept;
  /// Returns the number of hashes it was built over: distinct ones, but for types that keep no
  /// order.
  std::uint64_t size() const noexcept;
  /// Returns the designed false-positive rate; of split-block-bloom that of its bits.
  double fpr() const noexcept;
  /// False: the hash is surely not in the set. True: it is, or it is a false positive.
  bool contains(std::uint64_t hash) const noexcept {
    return whole_ ? contains_whole(hash) : lookup_.contains({hash, hash});
  }
  /// answers[i] = contains(hashes[i]), with the cache misses overlapped. Throws Error(usage) unless
  /// both spans are of one length.
  void contains(std::span<const std::uint64_t> hashes, std::span<bool> answers) const;

 private:
  struct CRIVO_LOCAL Impl;
  explicit HashFilter(std::unique_ptr<const Impl> impl);
  [[gnu::pure]] bool contains_whole(std::uint64_t hash) const noexcept;

  detail::FilterLookup lookup_;
  bool whole_;  ///< its lookups take a second half
  std::unique_ptr<const Impl> impl_;
};

/// Returns the names of types that filters of hashes may have; the first is the default.
CRIVO_API std::span<const std::string_view> hash_filter_types() noexcept;

}  // namespace crivo
