/// The record store: key -> record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/hash.hpp"

namespace crivo {

/// A directory that `crivo build store` wrote: an index file, and an LMDB environment that holds the
/// records by rank. Answers are exact: the key is stored with its record and compared, and a record's
/// checksum is checked on every read.
///
/// Immutable once open and safe for any number of threads; each thread looks up through a Reader of its
/// own. Movable; not copyable.
class Store {
 public:
  /// Maps the index, checks it and the environment's structure, and that both are of one build. Reads
  /// all pages of the environment but those that hold records (about 1 in 500). Throws Error: corrupt,
  /// too_new, too_old, io, or usage if the path is no store.
  static Store open(const std::filesystem::path& directory);

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  std::uint64_t size() const noexcept;
  std::uint64_t seed() const noexcept;

  enum class Status {
    found,
    absent,
    damaged,  ///< the record's bytes do not have their checksum: the environment is damaged
  };
  struct Answer {
    Status status = Status::absent;
    std::string_view record;  ///< if found; valid until the reader's next lookup
  };

  /// One thread's way to the records: buffers, and a read transaction that is held while it lives. The
  /// store must outlive it. Throws Error(io) when made, if the system has no room for one more.
  class Reader {
   public:
    explicit Reader(const Store& store);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    /// Allocates nothing, throws nothing.
    Answer find(std::string_view key) noexcept;
    Answer find(std::string_view key, Hash128 hash) noexcept;

    /// Calls visit(i, find(keys[i])) for each key in order, with the index's cache misses of a block
    /// of keys overlapped. The record of an answer is valid during its visit.
    void find(std::span<const std::string_view> keys,
              const std::function<void(std::size_t, const Answer&)>& visit);

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

 private:
  struct Impl;
  explicit Store(std::unique_ptr<const Impl> impl) noexcept;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
