// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** Section 33, in maps and filters: fuse.md. */
final class Fuse implements StaticFunction, Filter {
  private static final int APART = 32_768; // slots that shards of a manifest may begin at multiples of
  private static final int MOST_SHARD_BITS = 28; // of so many shards this reader keeps where each begins

  private final Bytes data;
  private final long n;
  private final int width;
  private final int arity;
  private final int g;
  private final int segmentBits;
  private final Ribbon small; // null: shards
  private long table;
  private long[] before; // slots before each shard

  Fuse(Bytes data, int widest) throws RefusedException {
    this.data = data;
    width = data.u8(0);
    arity = data.u8(1);
    g = data.u8(2);
    segmentBits = data.u8(3);
    n = data.u64(8);
    need(width >= 1 && width <= widest && (arity == 3 || arity == 4), "the header of a fuse section");
    data.zero(4, 8);
    data.zero(16, 64);
    if (Bits.below(n, Ribbon.SMALL)) {
      need(g == 0 && segmentBits == 0, "shards of a small set");
      small = Ribbon.section(data.slice(64, data.length() - 64), widest == 32);
      need(small.n == n && small.width == width && small.narrowPart == 0, "the header of a small set");
      return;
    }
    small = null;
    need(g <= 32 && segmentBits >= 3 && segmentBits <= 16, "the header of a fuse section");
    table = data.length() - 16 - (4L << g);
    need(table >= 64, "no room for the shards");
    if (g > MOST_SHARD_BITS) {
      throw new RefusedException(RefusedException.Why.UNSUPPORTED, "more shards than this reader has room for");
    }
    data.zero(data.length() - 16, data.length());
    before = new long[1 << g];
    long slots = 0;
    for (int p = 0; p < before.length; ++p) {
      slots = data.u8(table + 4L * p) >> 7 == 0 ? slots : Bits.roundUp(slots, APART);
      need(seed(p) < 32 && segments(p) >= arity, "a shard");
      before[p] = slots;
      slots += segments(p) << segmentBits;
    }
    need(table == 64 + ceilDiv(slots * width, 8), "the length of a fuse section");
    data.zeroBits(64 * 8 + slots * width, table);
  }

  private int seed(int p) {
    return data.u8(table + 4L * p) & 0x7f;
  }

  private long segments(int p) {
    return data.number(table + 4L * p + 1, 3);
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    return n != 0 && value(hi, hi) == (mulhi(hi, Ribbon.ODD) & mask(width));
  }

  @Override
  public long value(long hi, long lo) {
    if (small != null) {
      return small.value(hi, lo);
    }
    int p = (int) Bits.first(hi, g);
    long slot = mulhi(hi << g, segments(p) - arity + 1 << segmentBits);
    long x = lo * (mix64(seed(p) + 0x9e3779b97f4a7c15L) | 1);
    return slots(data, 64 * 8 + before[p] * width, width, arity, segmentBits, slot, x);
  }

  /** The XOR of a key's slots, the first of this number, in the shard that begins at that bit. */
  static long slots(Bytes data, long begin, int width, int arity, int segmentBits, long first, long x) {
    long value = data.bits(begin + first * width, width);
    for (int j = 1; j < arity; ++j) {
      long at = first + ((long) j << segmentBits) ^ x >>> 64 - 16 * j & mask(segmentBits);
      value ^= data.bits(begin + at * width, width);
    }
    return value;
  }
}
