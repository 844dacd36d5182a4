// SPDX-License-Identifier: Apache-2.0
/// What a record store is to the benchmark of stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/stores/record_set.hpp"
#include "crivo/build/options.hpp"

namespace crivo::bench {

/// A store that is open for one thread.
class OpenStore {
 public:
  virtual ~OpenStore() = default;
  /// The record of a key, or nothing (`found` false). Valid until the next call.
  virtual std::string_view find(std::string_view key, bool& found) = 0;
  /// Of a store that has such an interface: the records of all keys, one after the other; true.
  virtual bool find_all(std::span<const std::string_view>,
                        const std::function<void(std::string_view record, bool found)>&) {
    return false;
  }
  /// Of a store in the order of its keys: calls use(key, record) for those that begin with
  /// `prefix`; true.
  virtual bool scan(std::string_view /*prefix*/,
                    const std::function<void(std::string_view key, std::string_view record)>&) {
    return false;
  }
};

struct StoreMethod {
  std::string name;
  /// Builds the store in an empty directory, from records in the order of the input (a store that
  /// needs another order sorts them: its time counts).
  std::function<void(const RecordSet&, const std::filesystem::path&)> build;
  std::function<std::unique_ptr<OpenStore>(const std::filesystem::path&)> open;
};

/// Builds a store of Crivo, `store` in the directory, on one thread.
void build_crivo(const RecordSet& set, const std::filesystem::path& directory,
                 const StoreOptions& store);

/// Each adds its rows; the order is that of the table.
void add_crivo_stores(std::vector<StoreMethod>& methods);
void add_lmdb_store(std::vector<StoreMethod>& methods);
void add_cdb_store(std::vector<StoreMethod>& methods);
void add_leveldb_store(std::vector<StoreMethod>& methods);
void add_rocksdb_stores(std::vector<StoreMethod>& methods);
void add_sparkey_store(std::vector<StoreMethod>& methods);
void add_sqlite_store(std::vector<StoreMethod>& methods);
void add_unchecked_stores(std::vector<StoreMethod>& methods);

}  // namespace crivo::bench
