// SPDX-License-Identifier: Apache-2.0
/// The parts of an open Store: the order of its keys with updates, lookups by rank, its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/once.hpp"
#include "crivo/store.hpp"
#include "lookup/check_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/store_files.hpp"
#include "records/backend.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::index {

/// Where the keys that have records are, counted from the first: those of the build, which the
/// dictionary has in order, without the removed ones, and between them the added ones. Memory: 16
/// bytes an added key, 8 one of the build that is removed. For any number of threads.
class UpdatedOrder {
 public:
  /// Both outlive this. Reads all added keys. Throws Error(corrupt).
  UpdatedOrder(const records::RecordFile& records, const dictionary::Reader& keys);

  /// How many keys have a record.
  std::uint64_t size() const noexcept { return keys_.size() - removed_.size() + added_.size(); }

  /// Whether `texts` below have to be there, which are a reader of the records.
  bool has_added() const noexcept { return !added_.empty(); }
  /// How many of them are below `text`; nothing where an added key is damaged. What it touches of
  /// the dictionary may be damaged, too. Allocates nothing.
  std::optional<std::uint64_t> below(std::string_view text,
                                     records::RecordReader* texts) const noexcept;
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Those that begin with `text`; the same.
  std::optional<Range> prefix(std::string_view text, records::RecordReader* texts) const noexcept;

  /// The next key of the build, by its rank, and the next added one, by its number here: one of
  /// them is the key that is meant.
  struct Place {
    std::uint64_t sealed = 0;
    std::size_t added = 0;
  };
  /// That of the key before which so many have a record: at most size().
  Place at(std::uint64_t position) const noexcept;
  bool is_added(const Place& place) const noexcept {
    return place.added < added_.size() && added_[place.added].before <= place.sealed;
  }
  /// To the key after.
  void advance(Place& place) const noexcept;
  /// Returns the rank of an added key.
  std::uint64_t rank_of(const Place& place) const noexcept { return added_[place.added].rank; }

 private:
  struct Added {
    std::uint64_t before;  ///< so many keys of the build are below
    std::uint64_t rank;
  };
  /// How many records are below a place that is before the key of the build with this rank, and
  /// behind those added keys before it of which is_below().
  template <typename IsBelow>
  std::optional<std::uint64_t> position(std::uint64_t sealed, records::RecordReader* texts,
                                        const IsBelow& is_below) const noexcept;
  std::uint64_t removed_below(std::uint64_t rank) const noexcept;
  void sort_by_text(std::span<Added> alike) const;

  const records::RecordFile& records_;
  const dictionary::Reader& keys_;
  std::vector<std::uint64_t> removed_;  ///< ranks of the build
  std::vector<Added> added_;
};

/// Called from several threads at once with a key's index and what was found; the record is valid
/// during the call.
using VisitFound = std::function<void(std::size_t index, const records::Lookup& found)>;

/// Looks each key up and tells visit, once a key and in no order, on up to `threads` threads: first
/// the ranks of all, then the records in the order of their ranks, so that of the blocks of records
/// each is decompressed once. Memory: 24 bytes a key. Throws Error(io), and what `visit` throws.
void find_by_rank(const StoreFiles& files, std::span<const std::string_view> keys, unsigned threads,
                  const VisitFound& visit);

}  // namespace crivo::index

namespace crivo {

struct Store::Impl {
  Impl(const std::filesystem::path& opened, const OpenOptions& how)
      : path(std::filesystem::absolute(opened)),
        options(how),
        files(std::make_shared<const index::StoreFiles>(index::open_store_files(opened, how))),
        hash_function(index::hash_function(files->index.header())),
        last_update(files->last_update()),
        as_opened(files->records()),
        size(index::present_records(*as_opened)) {
    index::check_if_asked(*files, how);
  }
  /// The same files, with updates that came since.
  Impl(const Impl& before)
      : path(before.path),
        options(before.options),
        files(before.files),
        hash_function(before.hash_function),
        last_update(files->last_update()),
        as_opened(files->records()),
        size(index::present_records(*as_opened)) {}

  /// The order of the keys, which is made when it is first asked for. Throws Error(usage) if there
  /// is none, Error(corrupt).
  const index::UpdatedOrder& order() const;
  /// Gives `visit` every record in that order, and checks all. Throws the same, and what it throws.
  void visit_in_order(
      const std::function<void(std::string_view key, std::string_view record)>& visit) const;

  std::filesystem::path path;
  OpenOptions options;
  std::shared_ptr<const index::StoreFiles> files;
  HashFunction hash_function;
  std::uint64_t last_update;  ///< that was there, at least, when this was made
  std::shared_ptr<const records::RecordFile> as_opened;  ///< when this was made
  std::uint64_t size;

 private:
  mutable base::Once order_made_;
  mutable std::unique_ptr<const index::UpdatedOrder> order_;
};

}  // namespace crivo
