// SPDX-License-Identifier: Apache-2.0
/// Indexes of rows: key -> file, row group and row of a table that lies as files.
///
///     const crivo::Rows rows = crivo::Rows::open("orders.crv");
///     if (const auto found = rows.lookup("4711")) read(found->file, found->row);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "crivo/detail/export.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// The members of FileInfo::metadata that say RowsOptions::fixed and null_text, where these are
/// not 0 and not empty.
inline constexpr std::string_view kFixedName = "crivo.fixed";
inline constexpr std::string_view kNullTextName = "crivo.null_text";

/// Asks an index of rows in a mapped file, which gives each of the n keys that it was built over
/// the row that the key is in, or the rows (visit_rows()). It holds no keys: all but
/// 2^-signature_bits() of the keys outside the set are refused, and the others get some row, so
/// compare the key of the row that was read.
///
/// A chain of such files (add_rows()) is opened as one. Its layers may each take the key for theirs
/// by accident, so ask visit_rows() for all rows that it may be in. Rows of removed files are none.
///
/// Immutable once open: lookups may run in any number of threads, allocate nothing, and read no
/// byte outside the file, whatever it holds. One that rests on damaged bytes says so, but where
/// these were not to be checked (OpenCheck). They throw nothing but Error(usage): those by a
/// KeyHash if another function made it than hash_function(), and batches if they have not exactly
/// one place for each key. Movable; not copyable.
class CRIVO_API Rows {
 public:
  /// Maps a file that `crivo build rows` or build_rows() wrote, and checks its header and structure
  /// in time that grows with the numbers of files and row groups, and with n only by one step for
  /// some 10^6 keys. Replace the file by rename, never in place: see OpenMode. Throws Error:
  /// corrupt, too_new, too_old, io, or usage if the file holds something else.
  static Rows open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Rows open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Rows();
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;

  /// Returns n, the number of keys; of a chain with those of removed files.
  std::uint64_t size() const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return hash_function_.seed(); }
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;
  /// Returns what keys are hashed with here.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept;

  /// Returns the number of layers: 1 but of a chain.
  std::size_t layers() const noexcept;
  /// Returns the number of files, and the name of each, below files(). Those of a layer ascend,
  /// byte by byte; the layer that was added later comes later.
  std::uint64_t files() const noexcept;
  std::string_view file(std::uint64_t number) const noexcept;
  /// Returns whether the file was removed from the chain, and so has no row.
  bool is_removed(std::uint64_t number) const noexcept;
  /// Returns whether the index knows how its file was (RowsOptions::check_files).
  bool knows(std::uint64_t number) const noexcept;
  /// Returns whether the file at `path` is as that file was: in its length, its time and its last
  /// 64 KiB, where Parquet has its footer. False if nothing is there. Throws Error(usage) unless
  /// the index knows it, Error(io).
  bool is_unchanged(std::uint64_t number, const std::filesystem::path& path) const;
  /// Returns the number of rows of all files, as far as it is known: up to the last that has a key.
  std::uint64_t rows() const noexcept;
  /// Returns whether row groups are known, of all files.
  bool has_groups() const noexcept;
  /// Returns whether keys are 64-bit numbers (RowsOptions::fixed): then the lookups of numbers are
  /// those to use, and of texts only those of 8 bytes can be found. Otherwise numbers are found as
  /// texts.
  bool has_numbers() const noexcept;
  /// Returns whether keys may be in several rows (RowsOptions::many), of some layer.
  bool has_lists() const noexcept;
  /// Returns the number of rows that keys are in, one that k keys are in k times; with those of
  /// removed files.
  std::uint64_t places() const noexcept;

  /// Says where a row is.
  struct Row {
    std::string_view file{};        ///< valid as long as what is open
    std::uint64_t file_number = 0;  ///< below files()
    std::optional<std::uint64_t>
        group{};            ///< of the file's, from 0; nothing where they are not known
    std::uint64_t row = 0;  ///< of the file's, from 0
    friend bool operator==(const Row&, const Row&) = default;
  };

  enum class Status : std::uint8_t {
    absent,
    found,
    damaged,  ///< nobody can tell: bytes that the answer rests on fail their sum
  };
  /// Tells what lookup() found. In a condition, whether it is a row.
  struct Answer {
    Row row{};  ///< if found
    Status status = Status::absent;

    explicit operator bool() const noexcept { return status == Status::found; }
    /// Return the row that there is.
    const Row& operator*() const noexcept { return row; }
    const Row* operator->() const noexcept { return &row; }
  };

  /// Returns the row of a key, or none if the key is surely not in the set; of a chain that of the
  /// newest layer that has one; of several rows in a layer the first. Some three cache misses a
  /// layer, and a search among the files. A number is the key of its 8 bytes, the lowest first;
  /// only 64-bit integers are keys.
  Answer lookup(std::string_view key) const noexcept { return find(raw(key)); }
  Answer lookup(std::span<const std::byte> key) const noexcept { return find(raw(key)); }
  template <KeyNumber Number>
  Answer lookup(Number key) const noexcept {
    return find(raw(static_cast<std::uint64_t>(key)));
  }
  template <NoKey T>
  Answer lookup(T) const = delete;
  /// Does the same for a key's hash_function()(key), or that of an equal one.
  Answer lookup(const KeyHash& hash) const {
    return find(detail::HashAccess::checked(hash_function_, hash));
  }
  Answer lookup(const Key& key) const { return lookup(key.hash(hash_function_)); }

  /// Calls visit(row) for each row that a key may be in, the newest layer's first: at most one of
  /// each, unless keys may be in several; then in the order of the files and their rows. Returns
  /// `damaged` if some layer cannot tell, else whether there was a row.
  template <typename Asked, typename Visit>
  Status visit_rows(const Asked& key, Visit&& visit) const {
    return each(hash_of(key), &visit, [](void* to, const Row& row) {
      (*static_cast<std::remove_reference_t<Visit>*>(to))(row);
    });
  }

  /// answers[i] = lookup(keys[i]), with the cache misses of a block of keys overlapped: the way to
  /// look up many. Both spans are of one length.
  void lookup(std::span<const std::string_view> keys, std::span<Answer> answers) const;
  void lookup(std::span<const std::uint64_t> keys, std::span<Answer> answers) const;
  void lookup(std::span<const KeyHash> hashes, std::span<Answer> answers) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void lookup(const Keys& keys, std::span<Answer> answers) const {
    detail::check_batch(detail::count_texts(keys), answers.size());
    detail::for_each_view_block(keys,
                                [&](std::span<const std::string_view> some, std::size_t begin) {
                                  lookup(some, answers.subspan(begin, some.size()));
                                });
  }

 private:
  struct CRIVO_LOCAL Impl;
  explicit Rows(std::unique_ptr<const Impl> impl);

  template <typename Key>
  detail::Hash128 raw(const Key& key) const noexcept {
    return detail::HashAccess::raw(hash_function_, key);
  }
  template <typename Asked>
  detail::Hash128 hash_of(const Asked& key) const {
    if constexpr (std::is_same_v<Asked, KeyHash>) {
      return detail::HashAccess::checked(hash_function_, key);
    } else if constexpr (std::is_same_v<Asked, Key>) {
      return detail::HashAccess::checked(hash_function_, key.hash(hash_function_));
    } else if constexpr (KeyNumber<Asked>) {
      return raw(static_cast<std::uint64_t>(key));
    } else {
      return raw(std::string_view(key));
    }
  }
  Answer find(detail::Hash128 hash) const noexcept;
  Status each(detail::Hash128 hash, void* to, void (*visit)(void*, const Row&)) const;

  HashFunction hash_function_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
