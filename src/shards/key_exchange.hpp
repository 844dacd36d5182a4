// SPDX-License-Identifier: Apache-2.0
/// Files of keys where tasks share no directory (formats/parts.md, "Elsewhere than in a
/// directory"): a file is put in slices, so that a shard gets its own keys and no others.
///
///     keys-3.0  keys-3.1 ...   the keys, and records, of some pieces each
///     keys-3                   the frame: header, table and checksums; put last
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "crivo/build/shards.hpp"
#include "shards/key_directory.hpp"
#include "shards/part_exchange.hpp"
#include "shards/shard_keys.hpp"

namespace crivo::index {

/// Puts the file of keys of a task, if there is a command for it.
void put_keys(const PartExchange& exchange, const std::filesystem::path& file);

/// A directory for the files of keys of all tasks, as one shard needs them: of the right length,
/// and with holes where others' keys were. It is removed at the end; what a killed process left of
/// the same name is removed at the begin.
class FetchedKeys {
 public:
  /// In `parent`, which is made if it is not there. Gets the frames. Throws Error(io, corrupt).
  FetchedKeys(const PartExchange& exchange, const std::filesystem::path& parent,
              const std::string& name);
  ~FetchedKeys();
  FetchedKeys(const FetchedKeys&) = delete;
  FetchedKeys& operator=(const FetchedKeys&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Gets the totals beside them.
  void get_totals() const { exchange_.get_file(path_ / kTotalsName); }
  /// Gets the keys of a range, as far as they are not there; `directory` is path(), opened, and
  /// must be opened anew.
  void get_range(const KeyDirectory& directory, const HashRange& range);

 private:
  /// Returns how many tasks there are.
  std::uint64_t get_frame(std::uint64_t task) const;

  const PartExchange& exchange_;
  std::filesystem::path path_;
  std::set<std::string> present_;  ///< the slices that are there
};

/// Gets the tables that all shards have to know, where tasks share no directory; null where they
/// do.
std::unique_ptr<FetchedKeys> get_tables(const PartExchange& exchange,
                                        const std::filesystem::path& path, const Share& shard);
/// The keys of a range beside them.
void get_keys(FetchedKeys& fetched, const HashRange& range, KeyDirectory& directory);

/// The records from which the codec is chosen, as far as they are read: they may be other shards'.
class FetchedSample final : public records::RecordSource {
 public:
  /// `keys` must outlive this.
  FetchedSample(FetchedKeys& keys, unsigned piece_bits) : keys_(keys), piece_bits_(piece_bits) {}

  unsigned piece_bits() const noexcept override { return piece_bits_; }
  using records::RecordSource::read;
  void read(unsigned bits, std::uint64_t begin, std::uint64_t end,
            records::RecordBatch& to) const override;
  void append_far(const records::RecordEntry& entry, base::Bytes& to) const override {
    DirectoryRecords(directory_.files).append_far(entry, to);
  }

 private:
  FetchedKeys& keys_;
  unsigned piece_bits_;
  mutable KeyDirectory directory_;  ///< of the last read: its records stay where they are
};

}  // namespace crivo::index
