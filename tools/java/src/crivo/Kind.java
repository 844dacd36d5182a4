// SPDX-License-Identifier: Apache-2.0
package crivo;

/** What a file is. */
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
  RECORDS,
  /** The file of a manifest by itself: one that was opened with its parts is of their kind. */
  MANIFEST,
  /** A dictionary. */
  DICTIONARY,
  /** An exact set. */
  EXACT,
  /** A change of an exact set or a filter, which answers nothing by itself. */
  DELTA,
  /** An exact set or a filter with its deltas. */
  CHAIN,
  /** A filter set. */
  FILTER_SET,
  /** An index of rows. */
  ROWS;

  private static final long EXACTS_NUMBER = 10; // and on, to CHAIN
  private static final long DICTIONARYS_NUMBER = 13; // those before are in the order of their numbers, from 1
  private static final long FILTER_SETS_NUMBER = 14;
  private static final long ROWS_NUMBER = 15;

  /** Null for a number that is not a kind. */
  static Kind of(long number) {
    return number == DICTIONARYS_NUMBER ? DICTIONARY
        : number == FILTER_SETS_NUMBER ? FILTER_SET
        : number == ROWS_NUMBER ? ROWS
        : number >= EXACTS_NUMBER && number < EXACTS_NUMBER + 3 ? values()[EXACT.ordinal() + (int) (number - EXACTS_NUMBER)]
        : number >= 1 && number <= MANIFEST.ordinal() + 1 ? values()[(int) number - 1] : null;
  }

  boolean isIndex() {
    return compareTo(STORE) <= 0 || this == DICTIONARY || this == EXACT || this == FILTER_SET || this == ROWS;
  }
}
