// SPDX-License-Identifier: Apache-2.0
/// Dictionaries: key -> id, its rank in byte order, and back.
///
///     const crivo::Dictionary terms = crivo::Dictionary::open("terms.crv");
///     const std::uint64_t id = terms.lookup("crivo");  // kAbsent, if it is not there
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

struct FileInfo;

/// Looks up a sorted set of keys in a mapped file. A key's id is the number of keys before it:
/// bytes are unsigned, and a key stands before those that it begins. So keys with a prefix, or
/// between two others, have ids in a row.
///
/// Immutable once open: lookups may run in any number of threads, and read no byte outside the
/// file, whatever it holds. One that rests on damaged bytes says so, but where these were not to be
/// checked (OpenCheck): then it answers with some id of at most size(). They allocate nothing and
/// throw nothing, but for Error(usage) from batches whose spans have different lengths.
/// Movable; not copyable.
class CRIVO_API Dictionary {
 public:
  /// Is given by lookup() for a key that is not in the dictionary.
  static constexpr std::uint64_t kAbsent = UINT64_MAX;
  /// Is given in the place of an id where the bytes that tell it are damaged.
  static constexpr std::uint64_t kDamaged = UINT64_MAX - 1;

  /// Maps a file that `crivo build dictionary` or build_dictionary() wrote, and checks its header
  /// and structure in time that does not grow with n. Replace the file by rename, never in place:
  /// see OpenMode. Throws Error: corrupt, too_new, too_old, io, or usage if the file holds
  /// something else than a dictionary.
  static Dictionary open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static Dictionary open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~Dictionary();
  Dictionary(Dictionary&&) noexcept;
  Dictionary& operator=(Dictionary&&) noexcept;

  /// Returns the number of keys.
  std::uint64_t size() const noexcept;
  /// Returns the length of the longest key, in bytes.
  std::uint64_t longest_key() const noexcept;
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;

  /// Returns the id of a key, kAbsent or kDamaged. O(log n).
  std::uint64_t lookup(std::string_view key) const noexcept;
  std::uint64_t lookup(const Key& key) const noexcept { return lookup(key.text()); }
  /// ids[i] = lookup(keys[i]). Both spans are of one length.
  void lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> ids) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void lookup(const Keys& keys, std::span<std::uint64_t> ids) const {
    detail::check_batch(detail::count_texts(keys), ids.size());
    detail::for_each_view_block(keys,
                                [&](std::span<const std::string_view> some, std::size_t begin) {
                                  lookup(some, ids.subspan(begin, some.size()));
                                });
  }

  /// Returns whether lookup_hashed() answers: DictionaryOptions::hashed.
  bool has_hashed() const noexcept;
  /// How the keys are hashed.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// Returns the id of a key by its hash, in one or two cache misses. Its text is not compared: of
  /// texts that are no keys one in 256 gets some id (DictionaryOptions::hashed_signature_bits), the
  /// others kAbsent; or it is kDamaged. Throws Error(usage) unless has_hashed(), and for a KeyHash
  /// that another function made.
  std::uint64_t lookup_hashed(std::string_view key) const;
  std::uint64_t lookup_hashed(const KeyHash& hash) const;
  std::uint64_t lookup_hashed(const Key& key) const {
    return lookup_hashed(key.hash(hash_function_));
  }
  /// ids[i] = lookup_hashed(keys[i]), with the cache misses of a block of keys overlapped. Both
  /// spans are of one length.
  void lookup_hashed(std::span<const std::string_view> keys, std::span<std::uint64_t> ids) const;
  void lookup_hashed(std::span<const KeyHash> hashes, std::span<std::uint64_t> ids) const;
  /// Does the same for any other range of texts, such as a std::vector<std::string>.
  template <detail::TextRange Keys>
  void lookup_hashed(const Keys& keys, std::span<std::uint64_t> ids) const {
    detail::check_batch(detail::count_texts(keys), ids.size());
    detail::for_each_view_block(keys,
                                [&](std::span<const std::string_view> some, std::size_t begin) {
                                  lookup_hashed(some, ids.subspan(begin, some.size()));
                                });
  }

  /// Writes the key of an id to `buffer`, which has longest_key() bytes or more, and returns it
  /// there. Nothing for an id of size() or more, or where the file is damaged.
  std::optional<std::string_view> key(std::uint64_t id, std::span<char> buffer) const noexcept;
  /// Returns the key in a text of its own.
  std::optional<std::string> key(std::uint64_t id) const;
  /// Returns the keys of many ids, one after the other in `buffer`: that of ids[i] from ends[i] on,
  /// and before ends[i + 1]. Returns how many were written: all, or those before which
  /// longest_key() bytes were left. There is one more of `ends` than of ids. The cache misses of a
  /// block of ids overlap. Throws Error(usage) for an id of size() or more, Error(corrupt) where
  /// the file is damaged; what was written before it is not told then.
  std::size_t key(std::span<const std::uint64_t> ids, std::span<char> buffer,
                  std::span<std::uint64_t> ends) const;

  /// Returns whether a number stands beside each key (DictionaryOptions::values), and what these
  /// are.
  bool has_values() const noexcept;
  ValueForm value_form() const noexcept;
  /// Returns the number beside the key of an id, as Map::lookup() gives it. Nothing for an id of
  /// size() or more, where there are none, and where the file is damaged.
  std::optional<std::uint64_t> value(std::uint64_t id) const noexcept;
  /// present[i] is whether value(ids[i]) is there, and values[i] is that, or 0: so ids may be those
  /// of a lookup. damaged[i] is whether nobody can tell it, for which an empty span has no place:
  /// then that is Error(corrupt). All spans are of one length. The cache misses of a block of ids
  /// overlap.
  void value(std::span<const std::uint64_t> ids, std::span<std::uint64_t> values,
             std::span<bool> present, std::span<bool> damaged = {}) const;

  /// Returns the id of the first key at or above `text`; size() if all are below; or kDamaged.
  std::uint64_t lower_bound(std::string_view text) const noexcept;

  /// Holds the ids from begin on, and before end.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const noexcept { return end - begin; }
    bool is_damaged() const noexcept { return begin == kDamaged; }
  };
  /// Returns the ids of the keys that begin with `text`; from kDamaged to kDamaged where the bytes
  /// that tell them are damaged.
  Range prefix(std::string_view text) const noexcept;

  /// Holds the longest key that `text` begins with; its length is at most that of the text.
  struct Prefix {
    std::uint64_t id = kAbsent;  ///< kAbsent: there is none; kDamaged: nobody can tell
    std::size_t size = 0;        ///< of the key, in bytes
  };
  Prefix longest_prefix(std::string_view text) const noexcept;
  /// Finds all of them, the longest first, in the place of what was in `found`. Throws
  /// Error(corrupt).
  void prefixes(std::string_view text, std::vector<Prefix>& found) const;

  /// Holds a key that is some edits away from a text.
  struct Near {
    std::uint64_t id = kAbsent;
    unsigned edits = 0;
  };
  /// The most edits that fuzzy() looks for.
  static constexpr unsigned kMostEdits = 2;
  /// Finds all keys that at most `edits` edits make of `text`, in order, in the place of what was
  /// in `found`. An edit replaces a character, leaves one out or puts one in; a character is a code
  /// point in UTF-8, or a byte that is no part of one. Throws Error(usage) for more than
  /// kMostEdits, Error(corrupt) where the file is damaged.
  void fuzzy(std::string_view text, unsigned edits, std::vector<Near>& found) const;

  /// Keys in order, from any on. Allocates when it is made, and never afterwards. One thread's; the
  /// dictionary must outlive it.
  class CRIVO_API Cursor {
   public:
    explicit Cursor(const Dictionary& dictionary);
    ~Cursor();
    Cursor(Cursor&&) noexcept;
    Cursor& operator=(Cursor&&) noexcept;

    /// To the key of an id. False at the end, or where the file is damaged.
    bool seek(std::uint64_t id) noexcept;
    /// To the first key at or above `text`; the same.
    bool seek(std::string_view text) noexcept;
    /// To the key after; the same.
    bool next() noexcept;
    /// Returns the id of the key that the last call went to, if it was true.
    std::uint64_t id() const noexcept;
    /// Valid until the next call.
    std::string_view key() const noexcept;
    /// Returns whether the last call was false because the file is damaged.
    bool is_damaged() const noexcept;

   private:
    struct CRIVO_LOCAL Impl;
    std::unique_ptr<Impl> impl_;
  };

 private:
  struct CRIVO_LOCAL Impl;
  explicit Dictionary(std::unique_ptr<const Impl> impl);
  HashFunction hash_function_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
