// SPDX-License-Identifier: Apache-2.0
#include "bench/stores/updated.hpp"

#include <lmdb.h>

#include <stdexcept>

#ifdef CRIVO_BENCH_SQLITE
#include <sqlite3.h>
#endif

namespace crivo::bench {
namespace {

namespace fs = std::filesystem;

void check_lmdb(int result) {
  if (result != 0) throw std::runtime_error(mdb_strerror(result));
}
MDB_val value_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

class UpdatedLmdb final : public Updated {
 public:
  explicit UpdatedLmdb(const fs::path& directory) {
    fs::create_directory(directory);
    check_lmdb(mdb_env_create(&environment_));
    check_lmdb(mdb_env_set_mapsize(environment_, std::size_t{1} << 36));
    check_lmdb(mdb_env_open(environment_, directory.c_str(), MDB_NORDAHEAD, 0644));
  }
  ~UpdatedLmdb() override { mdb_env_close(environment_); }
  UpdatedLmdb(const UpdatedLmdb&) = delete;
  UpdatedLmdb& operator=(const UpdatedLmdb&) = delete;

  void set(Pairs pairs) override {
    MDB_txn* transaction = nullptr;
    MDB_dbi database = 0;
    check_lmdb(mdb_txn_begin(environment_, nullptr, 0, &transaction));
    check_lmdb(mdb_dbi_open(transaction, nullptr, 0, &database));
    for (const auto& [key, record] : pairs) {
      MDB_val k = value_of(key);
      MDB_val v = value_of(record);
      check_lmdb(mdb_put(transaction, database, &k, &v, 0));
    }
    check_lmdb(mdb_txn_commit(transaction));
  }
  std::string get(std::string_view key) override {
    MDB_txn* transaction = nullptr;
    MDB_dbi database = 0;
    check_lmdb(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction));
    check_lmdb(mdb_dbi_open(transaction, nullptr, 0, &database));
    MDB_val k = value_of(key);
    MDB_val v{};
    check_lmdb(mdb_get(transaction, database, &k, &v));
    std::string found(static_cast<const char*>(v.mv_data), v.mv_size);
    mdb_txn_abort(transaction);
    return found;
  }

 private:
  MDB_env* environment_ = nullptr;
};

#ifdef CRIVO_BENCH_SQLITE
class UpdatedSqlite final : public Updated {
 public:
  explicit UpdatedSqlite(const fs::path& directory) {
    fs::create_directory(directory);
    check(sqlite3_open((directory / "db").c_str(), &database_));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE r(k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID");
    prepare("INSERT OR REPLACE INTO r VALUES(?, ?)", put_);
    prepare("SELECT v FROM r WHERE k = ?", get_);
  }
  ~UpdatedSqlite() override {
    sqlite3_finalize(put_);
    sqlite3_finalize(get_);
    sqlite3_close(database_);
  }
  UpdatedSqlite(const UpdatedSqlite&) = delete;
  UpdatedSqlite& operator=(const UpdatedSqlite&) = delete;

  void set(Pairs pairs) override {
    run("BEGIN");
    for (const auto& [key, record] : pairs) {
      bind(put_, 1, key);
      bind(put_, 2, record);
      if (sqlite3_step(put_) != SQLITE_DONE) check(SQLITE_ERROR);
      sqlite3_reset(put_);
    }
    run("COMMIT");
  }
  std::string get(std::string_view key) override {
    bind(get_, 1, key);
    if (sqlite3_step(get_) != SQLITE_ROW) check(SQLITE_ERROR);
    std::string found(static_cast<const char*>(sqlite3_column_blob(get_, 0)),
                      static_cast<std::size_t>(sqlite3_column_bytes(get_, 0)));
    sqlite3_reset(get_);
    return found;
  }

 private:
  void check(int result) const {
    if (result != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
  }
  void run(const char* text) { check(sqlite3_exec(database_, text, nullptr, nullptr, nullptr)); }
  void prepare(const char* text, sqlite3_stmt*& statement) {
    check(sqlite3_prepare_v2(database_, text, -1, &statement, nullptr));
  }
  static void bind(sqlite3_stmt* statement, int index, std::string_view text) {
    sqlite3_bind_blob(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
};
#endif

}  // namespace

std::unique_ptr<Updated> updated_lmdb(const fs::path& directory) {
  return std::make_unique<UpdatedLmdb>(directory);
}

#ifdef CRIVO_BENCH_SQLITE
std::unique_ptr<Updated> updated_sqlite(const fs::path& directory) {
  return std::make_unique<UpdatedSqlite>(directory);
}
#endif

}  // namespace crivo::bench
