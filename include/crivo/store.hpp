// SPDX-License-Identifier: Apache-2.0
/// The record store: key -> record.
///
///     const crivo::Store pages = crivo::Store::open("pages");
///     crivo::Store::Reader reader(pages);  // one a thread
///     const auto found = reader.find(url);
///     if (found.status == crivo::Store::Status::found) show(found.record);
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// Asks a store, a directory that `crivo build store` wrote: an index file, and a data file that
/// holds the records by rank. Answers are exact: the key is stored with its record and compared (in
/// an ordered store, in the dictionary in the place of the MPHF), and a record's checksum is
/// checked on every read.
///
/// Immutable once open, but for refresh(), and safe for any number of threads; each thread looks up
/// through a Reader of its own. Movable; not copyable.
class CRIVO_API Store {
 public:
  /// Maps the index, checks it and the environment's structure, and that both are of one build.
  /// Reads all pages of the environment but those that hold records (about 1 in 500). A store that
  /// is replaced (by a build, or by exchanging directories) is opened as it was before or after.
  /// Its files are not to be changed in place: see OpenMode, of which `copy` copies both. Throws
  /// Error: corrupt, too_new, too_old, io, or usage if the path is no store. It is that of the
  /// store's directory, or of a manifest of its parts (write_manifest() of crivo/build/shards.hpp).
  static Store open(const std::filesystem::path& path, const OpenOptions& options = {});

  /// Where another generation of the store has taken this one's place in the directory, or another
  /// manifest this one's, opens that one, as open() did, and returns true; also where records were
  /// updated, of which Readers that are made from now on are sure to see all that was committed.
  /// Readers that were made before go on with what they were made of, which is let go with the last
  /// of them; hash_function() may be another. Four system calls at most where there is nothing new.
  /// Not while another thread calls a function of this Store; Readers may be in use. Throws as
  /// open() does: then the Store is as it was. For threads that look up meanwhile: crivo::Shared of
  /// crivo/shared.hpp.
  bool refresh();
  /// Returns what refresh() goes over to, as a store of its own; nothing where there is nothing
  /// new. By any thread, while others use this one. Throws as open() does.
  std::optional<Store> newer() const;

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Returns the number of records, those removed before the store was opened or refreshed left
  /// out.
  std::uint64_t size() const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept;
  /// Returns what inspect() says of the store.
  FileInfo info() const;
  /// Does what verify() does: reads every byte of its files and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;
  /// Returns what keys are hashed with here.
  const HashFunction& hash_function() const noexcept;
  /// hash_function()(key).
  KeyHash hash(std::string_view key) const noexcept { return hash_function()(key); }
  KeyHash hash(std::span<const std::byte> key) const noexcept { return hash_function()(key); }
  template <KeyNumber Number>
  KeyHash hash(Number key) const noexcept {
    return hash_function()(key);
  }
  template <NoKey T>
  KeyHash hash(T) const = delete;

  enum class Status {
    found,
    absent,
    damaged,  ///< the record's bytes do not have their checksum: the environment is damaged
  };
  struct Answer {
    Status status = Status::absent;
    std::string_view record;  ///< if found; valid until the reader's next lookup
  };

  /// One thread's way to the records, with the updates that were committed when it was made, and
  /// with none that come later. It keeps what it reads from open by itself. Throws Error(io) when
  /// made, if the system has no room for one more; Error(corrupt) if the updates are damaged.
  class CRIVO_API Reader {
   public:
    explicit Reader(const Store& store);
    /// For another thread, of the same updates as `other`, in which keys may be looked up
    /// meanwhile: threads whose readers are copies of one see the same, whatever is committed.
    Reader(const Reader& other);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    /// Returns the record of a key. A number is the key of its 8 bytes, the lowest first; only
    /// 64-bit integers are keys. Allocates nothing, throws nothing.
    Answer find(std::string_view key) noexcept;
    Answer find(std::span<const std::byte> key) noexcept;
    template <KeyNumber Number>
    Answer find(Number key) noexcept {
      return find_number(static_cast<std::uint64_t>(key));
    }
    template <NoKey T>
    Answer find(T) = delete;
    /// Does the same for a key and its hash(key), or that of an equal hash_function(). Throws
    /// Error(usage) if another function made the hash.
    Answer find(std::string_view key, const KeyHash& hash);
    Answer find(std::span<const std::byte> key, const KeyHash& hash);
    template <KeyNumber Number>
    Answer find(Number key, const KeyHash& hash) {
      return find_number(static_cast<std::uint64_t>(key), hash);
    }
    template <NoKey T>
    Answer find(T, const KeyHash&) = delete;
    /// Does the same for a key that hashes itself.
    Answer find(const Key& key) noexcept;

    /// Is called by a batch with each key's index and answer, in order. The record is valid during
    /// the call.
    using Visit = std::function<void(std::size_t, const Answer&)>;

    /// Calls visit(i, find(keys[i])) for all keys, with the index's cache misses of a block of keys
    /// overlapped.
    void find(std::span<const std::string_view> keys, const Visit& visit);
    void find(std::span<const std::span<const std::byte>> keys, const Visit& visit);
    void find(std::span<const std::uint64_t> keys, const Visit& visit);
    /// Does the same for any other range of texts, such as a std::vector<std::string>.
    template <detail::TextRange Keys>
    void find(const Keys& keys, const Visit& visit) {
      detail::for_each_view_block(
          keys, [&](std::span<const std::string_view> some, std::size_t begin) {
            find(some, [&](std::size_t i, const Answer& answer) { visit(begin + i, answer); });
          });
    }
    /// Does the same by find(keys[i], hashes[i]). Throws Error(usage) too if the spans differ in
    /// length.
    void find(std::span<const std::string_view> keys, std::span<const KeyHash> hashes,
              const Visit& visit);
    void find(std::span<const std::span<const std::byte>> keys, std::span<const KeyHash> hashes,
              const Visit& visit);
    void find(std::span<const std::uint64_t> keys, std::span<const KeyHash> hashes,
              const Visit& visit);

   private:
    struct CRIVO_LOCAL Impl;
    Answer find_number(std::uint64_t key) noexcept;
    Answer find_number(std::uint64_t key, const KeyHash& hash);

    std::unique_ptr<Impl> impl_;
  };

  /// Returns whether the records are in the order of their keys (StoreOptions::ordered): then a
  /// key's rank is the number of keys before it in byte order, and what follows is there. Otherwise
  /// it throws Error(usage). Of updates it knows what was committed when the store was opened or
  /// refreshed; the first call afterwards reads all keys that were added, and keeps 16 bytes for
  /// each.
  bool is_ordered() const noexcept;
  /// Returns the rank of the first key at or above `text`; size() if all are below. O(log n).
  std::uint64_t lower_bound(std::string_view text) const;
  /// Ranks from begin on, and before end.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const noexcept { return end - begin; }
  };
  /// Returns the ranks of the keys that begin with `text`. O(log n).
  Range prefix(std::string_view text) const;

  /// Records in the order of their keys, from any on. One thread's; it keeps what it reads from
  /// open by itself. Allocates when it is made, and never afterwards.
  class CRIVO_API Cursor {
   public:
    explicit Cursor(const Store& store);
    ~Cursor();
    Cursor(Cursor&&) noexcept;
    Cursor& operator=(Cursor&&) noexcept;

    /// To the record of a rank. False at the end, or where the store is damaged.
    bool seek(std::uint64_t rank) noexcept;
    /// To that of the first key at or above `text`; the same.
    bool seek(std::string_view text) noexcept;
    /// To the record after; the same.
    bool next() noexcept;
    /// Returns that of the record that the last call went to, if it was true.
    std::uint64_t rank() const noexcept;
    /// Both valid until the next call.
    std::string_view key() const noexcept;
    std::string_view record() const noexcept;
    /// Returns whether the last call was false because the store is damaged.
    bool is_damaged() const noexcept;

   private:
    struct CRIVO_LOCAL Impl;
    std::unique_ptr<Impl> impl_;
  };

  /// Calls visit(key, record) for every record, of an ordered store in the order of their keys,
  /// else in that of their ranks; the texts are valid during the call. Everything is checked as it
  /// is read, so that Error(corrupt) may come after some of the calls. Throws what `visit` throws,
  /// and Error(corrupt, io).
  void for_each(
      const std::function<void(std::string_view key, std::string_view record)>& visit) const;

  /// Adds, changes and removes records of a store, while others read it: what a commit made visible
  /// is seen by every Reader that is made after it, in any process, and by none that was made
  /// before. The index and the data file stay as they are; updates stand beside them
  /// (formats/store.md), and go when the store is built anew. One thread's.
  class CRIVO_API Writer {
   public:
    /// Waits until no other Writer has the store, and keeps others, and builds, waiting while it
    /// lives; `progress` may cancel the wait. Throws Error as open() does, Error(usage) for a
    /// manifest, and for a store that is signed, Error(cancelled).
    explicit Writer(const std::filesystem::path& directory, Progress* progress = nullptr);
    /// Drops what was not committed.
    ~Writer();
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;

    /// Says what the key had before: no record, another one, or the same, which is kept.
    enum class Outcome { added, replaced, unchanged };
    /// Gives the key, also one that the store does not have, this record. Throws Error(bad_input),
    /// which names the key, if it or the record is over the limit, or another key of the store has
    /// the same 128-bit hash; Error(corrupt) if what the store has of the key is damaged;
    /// Error(io). After the first of these nothing is changed; after the others, only destruction.
    Outcome set(std::string_view key, std::string_view record);
    /// Takes the record of a key away: whether there was one. Throws Error(corrupt, io).
    bool remove(std::string_view key);
    /// Makes all since the last commit durable, then visible, at once. Throws Error(io): then
    /// nothing of it is, and only destruction follows.
    void commit();

   private:
    struct CRIVO_LOCAL Impl;

    std::unique_ptr<Impl> impl_;
  };

  /// For many keys (10^4 and more): calls visit(i, answer) for each, once and in no order, from
  /// `threads` threads at once (0: one per core). Records are read in the order of their ranks, so
  /// that each block of them is decompressed once, whatever the order of the keys. Memory: 24 bytes
  /// a key. Throws what `visit` throws, and Error(io).
  void find_all(std::span<const std::string_view> keys, const Reader::Visit& visit,
                unsigned threads = 0) const;

 private:
  struct CRIVO_LOCAL Impl;
  explicit Store(std::shared_ptr<const Impl> impl) noexcept;

  std::shared_ptr<const Impl> impl_;
};

}  // namespace crivo
