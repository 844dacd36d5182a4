// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** The ranks of bumped keys in sections 114 and 115: manifest.md. */
final class BumpedRanks {
  private static final int BLOCK_BITS = 16;

  private final Bytes data;
  private final long begins;
  private final long low;
  private final long count;
  private final long end;

  /** Those from byte `at` on, of `count` bumped keys of n ranks. */
  BumpedRanks(Bytes data, long at, long n, long count) throws RefusedException {
    this.data = data;
    this.count = count;
    begins = at;
    low = at + 8 * ((n >>> BLOCK_BITS) + 2);
    need(n >= 0 && count >= 0 && count <= data.length() && low <= data.length() - 2 * count, "the number of bumped keys");
    end = low + 2 * count;
  }

  long count() {
    return count;
  }

  /** Where what follows them begins. */
  long end() {
    return end;
  }

  /** The number of the bumped key that has the rank; -1 if none has. */
  long find(long rank) {
    long block = begins + 8 * (rank >>> BLOCK_BITS);
    long first = Bits.least(data.u64(block), count);
    long last = Bits.least(data.u64(block + 8), count);
    long wanted = rank & (1L << BLOCK_BITS) - 1;
    for (long after = last; first < after; ) {
      long middle = (first + after) / 2;
      if (data.u16(low + 2 * middle) < wanted) {
        first = middle + 1;
      } else {
        after = middle;
      }
    }
    return first < last && data.u16(low + 2 * first) == wanted ? first : -1;
  }
}
