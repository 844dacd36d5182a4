// SPDX-License-Identifier: Apache-2.0
// SQLite (libsqlite3-dev): a table without row ids, of keys in order; read from a mapping.
#include <sqlite3.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

// A file of a database in a directory.
class Database {
 public:
  Database(const std::filesystem::path& directory, int flags) {
    check(sqlite3_open_v2((directory / "records.db").c_str(), &database_, flags, nullptr));
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void check(int result) const {
    if (result != SQLITE_OK && result != SQLITE_DONE)
      throw std::runtime_error(database_ == nullptr ? "SQLite" : sqlite3_errmsg(database_));
  }
  void run(const char* text) const {
    check(sqlite3_exec(database_, text, nullptr, nullptr, nullptr));
  }
  sqlite3_stmt* prepare(const char* text) const {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_, text, -1, &statement, nullptr));
    return statement;
  }

 private:
  sqlite3* database_ = nullptr;
};

void bind(sqlite3_stmt* statement, int place, std::string_view text) {
  sqlite3_bind_blob64(statement, place, text.data(), text.size(), SQLITE_STATIC);
}

void build_sqlite(const RecordSet& set, const std::filesystem::path& directory) {
  const Database database(directory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  database.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
  database.run("CREATE TABLE records(key BLOB PRIMARY KEY, record BLOB) WITHOUT ROWID; BEGIN");
  sqlite3_stmt* const insert = database.prepare("INSERT INTO records VALUES(?, ?)");
  for (const auto& [key, record] : set.sorted()) {
    bind(insert, 1, key);
    bind(insert, 2, record);
    database.check(sqlite3_step(insert));
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  database.run("COMMIT");
}

class OpenSqlite final : public OpenStore {
 public:
  explicit OpenSqlite(const std::filesystem::path& directory)
      : database_(directory, SQLITE_OPEN_READONLY) {
    database_.run("PRAGMA mmap_size=1099511627776; PRAGMA locking_mode=EXCLUSIVE; BEGIN");
    select_ = database_.prepare("SELECT record FROM records WHERE key=?");
  }
  ~OpenSqlite() override { sqlite3_finalize(select_); }
  OpenSqlite(const OpenSqlite&) = delete;
  OpenSqlite& operator=(const OpenSqlite&) = delete;

  std::string_view find(std::string_view key, bool& found) override {
    sqlite3_reset(select_);
    bind(select_, 1, key);
    found = sqlite3_step(select_) == SQLITE_ROW;
    if (!found) return {};
    const auto* const record = static_cast<const char*>(sqlite3_column_blob(select_, 0));
    return {record, static_cast<std::size_t>(sqlite3_column_bytes(select_, 0))};
  }

 private:
  Database database_;
  sqlite3_stmt* select_ = nullptr;
};

}  // namespace

void add_sqlite_store(std::vector<StoreMethod>& methods) {
  methods.push_back({"SQLite", build_sqlite, [](const auto& directory) {
                       return std::make_unique<OpenSqlite>(directory);
                     }});
}

}  // namespace crivo::bench
