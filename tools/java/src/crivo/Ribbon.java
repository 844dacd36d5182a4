// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.Bits.parity;
import static crivo.RefusedException.need;

/** Sections 32 (a filter, in blocks of 64 slots) and 48 (a static function, in blocks of 8): ribbon.md. */
abstract class Ribbon implements StaticFunction, Filter {
  static final int SMALL = 20_000; // fewer keys are a small set
  static final long ODD = 0xd1342543de82ef95L;

  final Bytes data;
  final long n;
  final int width;

  private Ribbon(Bytes data) throws RefusedException {
    this.data = data;
    width = data.u8(0);
    n = data.u64(8);
    need(width >= 1 && width <= 64 && data.u8(7) == 0, "the header of a ribbon");
  }

  /** A whole section; `blockSlots` is 64 or 8. */
  static Ribbon section(Bytes data, int blockSlots) throws RefusedException {
    need(blockSlots == 8 || data.u8(0) <= 32, "the width of a filter");
    return Bits.below(data.u64(8), SMALL) ? new SmallSet(data) : new Partitioned(data, blockSlots);
  }

  /** The small set in a section of type 33. */
  static Ribbon smallSet(Bytes data) throws RefusedException {
    return new SmallSet(data);
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    return find(hi, hi, mulhi(hi, ODD));
  }

  @Override
  public long value(long hi, long lo) {
    return look(hi, lo, 0, false);
  }

  private boolean find(long hi, long lo, long fingerprint) {
    return look(hi, lo, fingerprint, true) == 0;
  }

  /** The value; `compared`: exclusive or as many bits of the fingerprint as it has. */
  abstract long look(long hi, long lo, long fingerprint, boolean compared);

  /** The halves of the next hash: hi, lo. */
  static long nextHi(long hi, long lo) {
    return mix64(hi ^ mix64(lo + 0x9e3779b97f4a7c15L));
  }

  static long nextLo(long nextHi, long lo) {
    return mix64(lo + nextHi);
  }

  private static final class SmallSet extends Ribbon {
    private final long m;

    SmallSet(Bytes data) throws RefusedException {
      super(data);
      need(data.u8(1) == 128 && data.u16(2) == 0 && data.u8(4) == 0 && data.u8(5) <= 63 && data.u8(6) == 0,
          "the header of a small set");
      data.zero(16, 64);
      need(Bits.below(n, SMALL), "the keys of a small set");
      m = n == 0 ? 0 : n + Math.max(8, ceilDiv(3 * n, 100));
      need(data.length() == 64 + ceilDiv(m * width, 8) + 24, "the length of a small set");
      data.zeroBits(64 * 8 + m * width, data.length());
    }

    @Override
    long look(long hi, long lo, long fingerprint, boolean compared) {
      long value = 0;
      if (n > 0) {
        long h = nextHi(hi + data.u8(5) * 0xd1b54a32d192ed03L, lo);
        long row = nextLo(h, lo) | 1;
        long more = mix64(h + 0x2545f4914f6cdd1dL);
        long start = 0;
        if (m >= 128) {
          start = mulhi(h, m - 127);
        } else {
          row &= mask((int) Math.min(m, 64));
          more &= mask((int) Math.max(m - 64, 0));
        }
        for (int j = 0; j < width; ++j) {
          long at = 64 * 8 + j * m + start;
          value |= (long) parity(data.bits(at, 64) & row ^ data.bits(at + 64, 64) & more) << j;
        }
      }
      return compared ? value ^ fingerprint & mask(width) : value;
    }
  }

  private static final class Partitioned extends Ribbon {
    private static final int[] THRESHOLDS = {0, 23, 46, 128};
    private static final int LAYERS = 4;
    private static final int MOST_KEYS = 92_681; // of a partition, on average

    private final int blockSlots;
    private final int wordBytes;
    private final int g;
    private final long narrowPart; // f
    private final long table;
    private final long slots; // of layer 0

    Partitioned(Bytes data, int blockSlots) throws RefusedException {
      super(data);
      this.blockSlots = blockSlots;
      wordBytes = blockSlots / 8;
      g = data.u8(4);
      need(data.u8(1) == 64 && data.u16(2) == 128 && data.u8(5) == 0 && data.u8(6) == (blockSlots == 8 ? 8 : 0),
          "the header of a ribbon");
      need(g <= 32 && n >>> g <= MOST_KEYS && n >= 0 && (g == 0 || n >>> g - 1 > MOST_KEYS), "the partitions");
      narrowPart = data.u32(16);
      need(blockSlots == 64 || narrowPart == 0, "narrow rows in a function");
      data.zero(20, 64);
      long padding = blockSlots == 8 ? 64 : 64 * ceilDiv(width, 8);
      table = data.length() - padding - (8L << g);
      need(table >= 64 && table % 64 == 0, "no room for the table of the partitions");
      data.zero(data.length() - padding, data.length());
      need(data.u64(table) == 64, "the first body");
      long k = n >> g;
      slots = 64 * Math.max(1, (k - k / 16 + 32) / 64);
      need(64 + layerBytes(slots) + 12 <= table, "no room for a partition");
    }

    private long narrow(long m) {
      return (m - 63) * narrowPart >>> 38;
    }

    private long slotBytes(long m) {
      return wordBytes * (m / blockSlots * width - narrow(m));
    }

    private long layerBytes(long m) {
      return slotBytes(m) + ceilDiv(m - 63, 512);
    }

    @Override
    long look(long hi, long lo, long fingerprint, boolean compared) {
      long at = data.u64(table + 8 * Bits.first(hi, g));
      if (at >= 64 && at < table) {
        long m = slots;
        long counts = at + layerBytes(m);
        if (counts + 12 <= table) {
          long h = hi;
          for (int layer = 0; layer < LAYERS; ++layer) {
            if (layer > 0) {
              m = 64 * data.u32(counts + 4 * (layer - 1));
              if (m == 0 || at + layerBytes(m) > table) {
                break;
              }
              h = nextHi(h, lo);
              lo = nextLo(h, lo);
            }
            long s = mulhi(layer == 0 ? h << g : h, m - 63);
            int threshold = (int) data.bits((at + slotBytes(m)) * 8 + 2 * (s / 128), 2);
            if (s % 128 >= THRESHOLDS[threshold]) {
              return row(at, m, s, h * ODD | 1, fingerprint, compared);
            }
            at = layer == 0 ? counts + 12 : at + layerBytes(m);
          }
        }
      }
      return compared ? fingerprint & mask(width) : 0;
    }

    private long row(long at, long m, long s, long c, long fingerprint, boolean compared) {
      long block = s / blockSlots;
      int o = (int) (s % blockSlots);
      long x = c << o;
      long y = c >>> 1 >>> 63 - o;
      long narrow = narrow(m);
      int bits = block < narrow ? width - 1 : width;
      long value = 0;
      for (int j = 0; j < bits; ++j) {
        long sum = 0;
        if (blockSlots == 64) {
          sum = data.u64(word(at, block, narrow, j)) & x;
          sum ^= y == 0 ? 0 : data.u64(word(at, block + 1, narrow, j)) & y;
        } else {
          for (int i = 0; i < 9; ++i) {
            long part = i < 8 ? x >>> 8 * i & 0xff : y;
            sum ^= part == 0 ? 0 : data.u8(word(at, block + i, narrow, j)) & part;
          }
        }
        value |= (long) parity(sum) << j;
      }
      return compared ? value ^ fingerprint & mask(bits) : value;
    }

    private long word(long at, long block, long narrow, int j) {
      return at + wordBytes * (block * width - Math.min(block, narrow) + j);
    }
  }
}
