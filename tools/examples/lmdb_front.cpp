// SPDX-License-Identifier: Apache-2.0
// Asks an LMDB environment for the lines of a file, once for each and once only for those that a
// filter of its keys may hold: `lmdb-front ENVIRONMENT FILTER KEYS`.
#include <lmdb.h>

#include <chrono>
#include <crivo/error.hpp>
#include <crivo/filter.hpp>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(int result) {
  if (result != MDB_SUCCESS) throw std::runtime_error(mdb_strerror(result));
}

// The unnamed database of an environment, open for reading as long as the program runs.
class Database {
 public:
  explicit Database(const char* path) {
    check(mdb_env_create(&environment_));
    check(mdb_env_open(environment_, path, MDB_RDONLY, 0));
    check(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_));
    check(mdb_dbi_open(transaction_, nullptr, 0, &database_));
  }
  bool has(const std::string& key) const {
    MDB_val name{key.size(), const_cast<char*>(key.data())};
    MDB_val value;
    const int result = mdb_get(transaction_, database_, &name, &value);
    if (result != MDB_NOTFOUND) check(result);
    return result == MDB_SUCCESS;
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi database_ = 0;
};

// Prints what asking has() for all keys gives and takes.
template <typename Has>
void ask(const char* name, const std::vector<std::string>& keys, Has&& has) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t found = 0;
  for (const std::string& key : keys) found += has(key) ? 1 : 0;
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  std::cout << name << '\t' << found << " found\t"
            << static_cast<std::uint64_t>(time.count() / static_cast<double>(keys.size()))
            << " ns a key\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  const Database database(argv[1]);
  const crivo::Filter filter = crivo::Filter::open(argv[2]);
  std::vector<std::string> keys;
  std::ifstream lines(argv[3]);
  for (std::string line; std::getline(lines, line);) keys.push_back(line);
  if (keys.empty()) return 2;

  std::uint64_t asked = 0;
  ask("LMDB", keys, [&](const std::string& key) { return database.has(key); });
  ask("filter, LMDB", keys, [&](const std::string& key) {
    if (!filter.contains(key)) return false;  // no key is lost: a filter has no false negatives
    ++asked;
    return database.has(key);
  });
  std::cout << asked << " of " << keys.size() << " keys were looked up in LMDB\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << "lmdb-front: " << error.what() << '\n';
  return 1;
}
