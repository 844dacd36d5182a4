// SPDX-License-Identifier: Apache-2.0
// LMDB itself (liblmdb-dev): keys in order, appended; read without locks.
#include <lmdb.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check_lmdb(int result) {
  if (result != 0) throw std::runtime_error(mdb_strerror(result));
}

MDB_val value_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

void build_lmdb(const RecordSet& set, const std::filesystem::path& directory) {
  const std::vector<KeyAndRecord> sorted = set.sorted();
  MDB_env* environment = nullptr;
  check_lmdb(mdb_env_create(&environment));
  check_lmdb(mdb_env_set_mapsize(environment, 4 * set.pair_bytes + (64U << 20)));
  check_lmdb(mdb_env_open(environment, directory.c_str(), MDB_NOLOCK, 0644));
  MDB_txn* transaction = nullptr;
  MDB_dbi database = 0;
  check_lmdb(mdb_txn_begin(environment, nullptr, 0, &transaction));
  check_lmdb(mdb_dbi_open(transaction, nullptr, 0, &database));
  for (const auto& [key, record] : sorted) {
    MDB_val k = value_of(key);
    MDB_val v = value_of(record);
    check_lmdb(mdb_put(transaction, database, &k, &v, MDB_APPEND));
  }
  check_lmdb(mdb_txn_commit(transaction));
  mdb_env_close(environment);
}

class OpenLmdb final : public OpenStore {
 public:
  explicit OpenLmdb(const std::filesystem::path& directory) {
    check_lmdb(mdb_env_create(&environment_));
    check_lmdb(mdb_env_open(environment_, directory.c_str(),
                            MDB_NOLOCK | MDB_RDONLY | MDB_NORDAHEAD, 0644));
    check_lmdb(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_));
    check_lmdb(mdb_dbi_open(transaction_, nullptr, 0, &database_));
  }
  ~OpenLmdb() override {
    mdb_txn_abort(transaction_);
    mdb_env_close(environment_);
  }
  OpenLmdb(const OpenLmdb&) = delete;
  OpenLmdb& operator=(const OpenLmdb&) = delete;

  std::string_view find(std::string_view key, bool& found) override {
    MDB_val k = value_of(key);
    MDB_val v{};
    found = mdb_get(transaction_, database_, &k, &v) == 0;
    return {static_cast<const char*>(v.mv_data), v.mv_size};
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi database_ = 0;
};

}  // namespace

void add_lmdb_store(std::vector<StoreMethod>& methods) {
  methods.push_back({"LMDB", build_lmdb,
                     [](const auto& directory) { return std::make_unique<OpenLmdb>(directory); }});
}

}  // namespace crivo::bench
