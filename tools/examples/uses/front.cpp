// SPDX-License-Identifier: Apache-2.0
// An engine that asks LMDB only for keys that may be there: `front ENVIRONMENT FILTER KEY...`.
#include <lmdb.h>

#include <crivo/filter.hpp>
#include <crivo/shared.hpp>
#include <iostream>
int main(int argc, char** argv) {
  MDB_env* environment = nullptr;
  MDB_txn* transaction = nullptr;
  MDB_dbi database = 0;
  if (argc < 3 || mdb_env_create(&environment) ||
      mdb_env_open(environment, argv[1], MDB_RDONLY, 0) ||
      mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction) ||
      mdb_dbi_open(transaction, nullptr, 0, &database))
    return 2;
  crivo::Shared<crivo::Filter> shared(argv[2]);      // refresh() opens a newer file
  crivo::Shared<crivo::Filter>::Pin filter(shared);  // for one thread
  for (int i = 3; i < argc; ++i, filter.follow()) {
    MDB_val key{std::string_view(argv[i]).size(), argv[i]}, record;
    const bool found = filter->contains(argv[i]) && !mdb_get(transaction, database, &key, &record);
    std::cout << argv[i] << (found ? "\tfound\n" : "\tabsent\n");
  }
  return 0;
}
