// SPDX-License-Identifier: Apache-2.0
package crivo;

/** What a file is, in the order of its numbers from 1. */
public enum Kind {
  /** A minimal perfect hash function. */
  MPHF,
  /** A filter. */
  FILTER,
  /** A map. */
  MAP,
  /** The index of a record store. */
  STORE,
  /** A part of a sharded build, which answers nothing; as the next two. */
  PART,
  /** The keys of a shard. */
  KEYS,
  /** What all shards have in common. */
  TOTALS,
  /** The records that stand beside the index of a flat store. */
  RECORDS;

  boolean isIndex() {
    return compareTo(STORE) <= 0;
  }
}
