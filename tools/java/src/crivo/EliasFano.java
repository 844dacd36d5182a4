// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.Bits.ceilDiv;
import static crivo.Bits.least;

/** The arrays of integers that ascend, below a universe: phast.md. */
final class EliasFano {
  private static final int SAMPLED = 128;

  private final Bytes data;
  private final long count;
  private final long universe;
  private final int lowBits;
  private final long low;
  private final long high;
  private final long words;
  private final long samples;
  private final long end;

  /** Those of `count` integers, from byte `at` on. */
  EliasFano(Bytes data, long at, long count, long universe) throws RefusedException {
    this.data = data;
    this.count = count;
    this.universe = universe;
    lowBits = count == 0 ? 0 : 63 - Long.numberOfLeadingZeros(universe / count);
    low = at;
    high = count == 0 ? at : data.packedEnd(low, count * lowBits);
    words = count == 0 ? 0 : ceilDiv(count + (universe - 1 >>> lowBits) + 1, 64);
    samples = high + 8 * words;
    end = samples + 8 * ceilDiv(count, SAMPLED);
  }

  long count() {
    return count;
  }

  long end() {
    return end;
  }

  /** Integer i: 0 if there is none, at most universe - 1. */
  long value(long i) {
    if (!below(i, count)) {
      return 0;
    }
    long place = data.u64(samples + i / SAMPLED * 8);
    int skip = (int) (i % SAMPLED);
    while (below(place, 64 * words)) {
      long word = data.u64(high + place / 64 * 8) >>> place % 64;
      int ones = Long.bitCount(word);
      if (ones > skip) {
        for (; skip > 0; --skip) {
          word &= word - 1;
        }
        place += Long.numberOfTrailingZeros(word);
        return least(place - i << lowBits | data.bits(low * 8 + i * lowBits, lowBits), universe - 1);
      }
      skip -= ones;
      place = (place / 64 + 1) * 64;
    }
    return 0;
  }
}
