// SPDX-License-Identifier: Apache-2.0
/// Exact sets: of every key of a known universe, whether it is a member.
///
///     const crivo::Exact revoked = crivo::Exact::open("revoked.crv");
///     if (revoked.contains(serial) == crivo::ExactAnswer::member) refuse(serial);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/detail/exact_lookup.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// Names what an exact set says of a key.
enum class ExactAnswer : std::uint8_t {
  other,    ///< in the universe, and no member
  member,   ///< a member
  outside,  ///< of a group that the universe lacks, or of an epoch that it does not cover
  damaged,  ///< nobody can tell: bytes that the answer rests on fail their sum
};

/// "other", "member", "outside" or "damaged".
CRIVO_API std::string_view name_of(ExactAnswer answer) noexcept;

/// Names a range that the universe covers, both ends included.
struct Coverage {
  std::string name;
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

/// When a key came to be, for Exact::contains(): a name as of Coverage, and a number.
struct Epoch {
  std::string_view name;
  std::uint64_t value = 0;
};

/// Asks an exact set in a mapped file, which answers for every key of the universe that it was
/// built over, without any error. A lone key that the universe lacks cannot be told from others: it
/// is answered `other`, or at most at the rate outside_rate() `member`.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside the file, whatever it holds. One that rests on damaged bytes says so, but where
/// these were not to be checked (OpenCheck). They throw nothing but Error(usage), from batches that
/// have not exactly one place for each key. Movable; not copyable.
class CRIVO_API Exact {
 public:
  /// Maps a file that `crivo build exact` or build_exact() wrote, or a chain that apply_deltas()
  /// (crivo/build/edit.hpp) wrote with the files that it names, and checks headers and structure in
  /// time that grows with the number of groups, and of keys that deltas change, alone. Replace the
  /// file by rename, never in place: see OpenMode. Throws Error: corrupt, too_new, too_old, io, or
  /// usage if the file holds something else than an exact set.
  static Exact open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Exact open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Exact();
  Exact(Exact&&) noexcept;
  Exact& operator=(Exact&&) noexcept;

  /// Returns the number of members.
  std::uint64_t size() const noexcept;
  /// Returns the keys of the universe that was read, repeats counted.
  std::uint64_t universe_size() const noexcept;
  /// Returns whether keys belong to groups.
  bool grouped() const noexcept;
  /// Returns the number of groups; 0 unless grouped().
  std::uint64_t groups() const noexcept;
  /// Returns the designed rate of keys outside the universe that are taken for members; of a set
  /// with groups that of the group with the highest.
  double outside_rate() const noexcept;
  /// Returns what the universe covers; empty if the build did not say.
  const std::vector<Coverage>& covers() const noexcept;
  /// Returns whether one of covers() has that name and includes the value, or there are none at
  /// all.
  bool covers(const Epoch& epoch) const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept;
  /// Returns what keys, and names of groups, are hashed with here.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;

  /// Tells what is known of a key, in a set that is not grouped(); in one that is, `outside`. A
  /// number is the key of its 8 bytes, the lowest first; only 64-bit integers are keys.
  [[gnu::always_inline]] ExactAnswer contains(std::string_view key) const noexcept {
    return find(key);
  }
  [[gnu::always_inline]] ExactAnswer contains(std::span<const std::byte> key) const noexcept {
    return find(key);
  }
  template <KeyNumber Number>
  [[gnu::always_inline]] ExactAnswer contains(Number key) const noexcept {
    return find(static_cast<std::uint64_t>(key));
  }
  template <NoKey T>
  ExactAnswer contains(T) const = delete;
  /// Does the same for a hash that hash_function() made; Error(usage) of another.
  ExactAnswer contains(const KeyHash& hash) const;
  ExactAnswer contains(const Key& key) const noexcept {
    return contains(key.hash(hash_function()));
  }
  /// Tells what is known of a key of a group, in a set that is grouped(); in one that is not, the
  /// group is not looked at. One who asks for many keys of one group takes group().
  ExactAnswer contains(std::string_view group, std::string_view key) const noexcept;
  /// Does the same for a key of that epoch: `outside` unless it is covered.
  ExactAnswer contains(std::string_view group, std::string_view key,
                       const Epoch& epoch) const noexcept {
    return covers(epoch) ? contains(group, key) : ExactAnswer::outside;
  }

  /// answers[i] = contains(keys[i]), with the cache misses of a block of keys overlapped: the way
  /// to look up many. Both spans are of one length.
  void contains(std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const;
  void contains(std::span<const std::uint64_t> keys, std::span<ExactAnswer> answers) const;
  /// answers[i] = contains(groups[i], keys[i]), likewise, in any order of the groups: those
  /// that are answered for in the same way are resolved together.
  void contains(std::span<const std::string_view> groups, std::span<const std::string_view> keys,
                std::span<ExactAnswer> answers) const;

  /// One group of a set, for many lookups. Of use as long as the set is open, and stays where it
  /// is. Copied at will.
  class CRIVO_API Group {
   public:
    /// Returns whether the universe has the group: if not, all of its keys are `outside`.
    bool is_known() const noexcept { return kind_ >= 0; }
    /// contains() of a key in the group.
    [[gnu::always_inline]] ExactAnswer contains(std::string_view key) const noexcept {
      return find(key);
    }
    template <KeyNumber Number>
    [[gnu::always_inline]] ExactAnswer contains(Number key) const noexcept {
      return find(static_cast<std::uint64_t>(key));
    }
    template <NoKey T>
    ExactAnswer contains(T) const = delete;
    /// Does the same for a hash that the set's hash_function() made of the key alone; Error(usage)
    /// of another.
    ExactAnswer contains(const KeyHash& hash) const;
    ExactAnswer contains(const Key& key) const noexcept {
      return contains(key.hash(set_->hash_function()));
    }
    /// answers[i] = contains(keys[i]), with the cache misses of a block of keys overlapped.
    void contains(std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const;
    void contains(std::span<const std::uint64_t> keys, std::span<ExactAnswer> answers) const;

   private:
    friend class Exact;
    Group(const Exact& set, const detail::ExactLookup& lookup, int kind,
          std::uint32_t place) noexcept
        : set_(&set), lookup_(lookup), kind_(kind), place_(place) {}

    template <typename Key>
    [[gnu::always_inline]] ExactAnswer find(Key key) const noexcept {
      if (is_turned_) [[likely]] {
        const std::uint64_t half = detail::HashAccess::first_half(set_->hash_function_, key);
        const std::uint8_t settled = lookup_.settle(detail::half_in_group(hash_.hi, half));
        if (settled < detail::kWholeHash) [[likely]]
          return static_cast<ExactAnswer>(settled);
      }
      return find_whole(key);
    }
    [[gnu::pure]] ExactAnswer find_whole(std::string_view key) const noexcept;
    [[gnu::pure]] ExactAnswer find_whole(std::uint64_t key) const noexcept;

    const Exact* set_;
    detail::Hash128 hash_;  ///< of its name
    detail::ExactLookup lookup_;
    int kind_;
    std::uint32_t place_;  ///< of its flips
    /// Whether the usual hash of a key, turned by that of the name, is what settles it.
    bool is_turned_ = false;
  };
  /// Returns the group of that name; in a set that is not grouped(), that of all keys.
  Group group(std::string_view name) const noexcept;

 private:
  struct CRIVO_LOCAL Impl;
  explicit Exact(std::unique_ptr<const Impl> impl);

  template <typename Key>
  [[gnu::always_inline]] ExactAnswer find(Key key) const noexcept {
    if (detail::HashAccess::is_usual(hash_function_)) [[likely]] {
      const std::uint64_t half = detail::HashAccess::first_half(hash_function_, key);
      const std::uint8_t settled = lookup_.settle(half);
      if (settled < detail::kWholeHash) [[likely]]
        return static_cast<ExactAnswer>(settled);
    }
    return find_whole(key);
  }
  /// By the whole hash, of any name. Pure and out of line, as in Filter.
  [[gnu::pure]] ExactAnswer find_whole(std::string_view key) const noexcept;
  [[gnu::pure]] ExactAnswer find_whole(std::span<const std::byte> key) const noexcept;
  [[gnu::pure]] ExactAnswer find_whole(std::uint64_t key) const noexcept;

  HashFunction hash_function_;
  detail::ExactLookup lookup_;  ///< of a set without groups
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
