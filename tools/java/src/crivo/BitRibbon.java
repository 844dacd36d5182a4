package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.Bits.parity;
import static crivo.RefusedException.need;

/** A one-bit ribbon of coded.md. */
final class BitRibbon {
  private static final int[][] THRESHOLDS = {{0, 26, 64, 128}, {0, 32, 96, 256}, {0, 41, 102, 512}};
  private static final int LAYERS = 4;
  private static final int MOST_PARTITION_BITS = 28; // of so many partitions this reader keeps where each begins

  private final Bytes data;
  private final int longest;
  private final int g;
  private final int bucketBits;
  private final long table;
  private final long[] begins;

  /** The ribbon that the bytes are, of the shape that stands in three bytes of `shape`. */
  BitRibbon(Bytes data, Bytes shape) throws RefusedException {
    this.data = data;
    longest = shape.u8(0);
    g = shape.u8(1);
    bucketBits = shape.u8(2);
    need(longest >= 1 && longest <= 30 && g <= 32 && bucketBits >= 7 && bucketBits <= 9, "the shape of a ribbon");
    table = data.length() - (16L << g);
    need(table >= 0, "no room for the table of a ribbon");
    if (g > MOST_PARTITION_BITS) {
      throw new RefusedException(RefusedException.Why.UNSUPPORTED, "more partitions than this reader has room for");
    }
    begins = new long[1 << g];
    long at = 0;
    for (int p = 0; p < begins.length; ++p) {
      begins[p] = at;
      for (int i = 0; i < LAYERS; ++i) {
        long m = slots(p, i);
        need(m == 0 || m >= 127 + longest, "a layer is too small");
        at += m / 8 + thresholdBytes(m);
      }
      at = Bits.roundUp(at, 8);
    }
    need(at == table, "the length of a ribbon");
  }

  int longest() {
    return longest;
  }

  private long slots(int p, int layer) {
    return 64 * data.u32(table + 16L * p + 4L * layer);
  }

  private long starts(long m) {
    return m - 126 - longest;
  }

  private long thresholdBytes(long m) {
    return m == 0 ? 0 : ceilDiv(starts(m), 4L << bucketBits);
  }

  /** The key's bits, the first one lowest. */
  long read(long hi, long lo) {
    int p = (int) Bits.first(hi, g);
    long at = begins[p];
    long thresholds = at;
    for (int i = 0; i < LAYERS; ++i) {
      thresholds += slots(p, i) / 8;
    }
    long h = hi << g;
    for (int i = 0; i < LAYERS; ++i) {
      long m = slots(p, i);
      if (m > 0) {
        long s = mulhi(h, starts(m));
        int index = (int) data.bits(thresholds * 8 + 2 * (s >>> bucketBits), 2);
        if ((s & Bits.mask(bucketBits)) >= THRESHOLDS[bucketBits - 7][index]) {
          return bits(at * 8 + s, Long.reverse(lo | 1L << 63), Long.reverse(mix64(h + 0x2545f4914f6cdd1dL)));
        }
      }
      at += m / 8;
      thresholds += thresholdBytes(m);
      h = Ribbon.nextHi(h, lo);
      lo = Ribbon.nextLo(h, lo);
    }
    return 0;
  }

  private long bits(long at, long row, long more) {
    long value = 0;
    for (int t = 0; t < longest; ++t) {
      value |= (long) parity(data.bits(at + t, 64) & row ^ data.bits(at + t + 64, 64) & more) << t;
    }
    return value;
  }
}
