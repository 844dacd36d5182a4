/* SPDX-License-Identifier: Apache-2.0 */
/* An engine that asks LMDB only for keys that may be there: `front ENVIRONMENT FILTER KEY...`. */
#include <crivo.h>
#include <lmdb.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MDB_env* environment = NULL;
  MDB_txn* transaction = NULL;
  MDB_dbi database = 0;
  crivo_filter* filter = NULL;
  if (argc < 3 || mdb_env_create(&environment) ||
      mdb_env_open(environment, argv[1], MDB_RDONLY, 0) ||
      mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction) ||
      mdb_dbi_open(transaction, NULL, 0, &database) || crivo_filter_open(argv[2], NULL, &filter))
    return 2;
  for (int i = 3; i < argc; ++i) {
    MDB_val key = {strlen(argv[i]), argv[i]}, record;
    const int is_there = crivo_filter_contains(filter, argv[i], strlen(argv[i])) &&
                         mdb_get(transaction, database, &key, &record) == 0;
    printf("%s\t%s\n", argv[i], is_there ? "found" : "absent");
  }
  crivo_filter_close(filter);
}
