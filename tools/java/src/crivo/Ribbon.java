// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.Bits.parity;
import static crivo.RefusedException.need;

/** Sections 32 (a filter) and 48 (a static function): ribbon.md. */
abstract class Ribbon implements StaticFunction, Filter {
  static final int SMALL = 4096; // fewer keys are a small set
  static final long ODD = 0xd1342543de82ef95L;

  final Bytes data;
  final long n;
  final int width;
  final long narrowPart; // f
  final boolean longRows;
  final int blocks; // of a row

  private Ribbon(Bytes data, boolean filter) throws RefusedException {
    this.data = data;
    width = data.u8(0);
    n = data.u64(8);
    narrowPart = data.u32(16);
    longRows = !filter && width == 1 && !Bits.below(n, SMALL);
    blocks = longRows ? 16 : 8;
    need(width >= 1 && width <= (filter ? 32 : 64) && data.u8(1) == 8 * blocks, "the header of a ribbon");
    need(data.u16(6) == 0, "the header of a ribbon");
    need(filter || narrowPart == 0, "narrow rows in a function");
    data.zero(20, 64);
  }

  /** A whole section of type 32, a filter, or 48. */
  static Ribbon section(Bytes data, boolean filter) throws RefusedException {
    return Bits.below(data.u64(8), SMALL) ? new SmallSet(data, filter) : new Partitioned(data, filter);
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    return n != 0 && look(hi, hi, mulhi(hi, ODD), true) == 0;
  }

  @Override
  public long value(long hi, long lo) {
    return look(hi, lo, 0, false);
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

  /** The starts of a layer of m slots. */
  final long starts(long m) {
    return m == 0 ? 0 : Math.max(1, m / 8 - blocks + 1);
  }

  private long narrow(long m) {
    return starts(m) * narrowPart >>> 32;
  }

  /** The bytes of the first blocks of a layer of m slots. */
  final long blockBytes(long m, long blocks) {
    return blocks * width - Math.min(blocks, narrow(m));
  }

  /**
   * What look() returns of the row from block s of the layer at `at`, where `c` are its coefficients, and `more` those
   * that a long one has behind them.
   */
  final long row(long at, long m, long s, long c, long more, long fingerprint, boolean compared) {
    int bits = s < narrow(m) ? width - 1 : width;
    long value = 0;
    for (int j = 0; j < bits; ++j) {
      long sum = 0;
      for (int i = 0; i < blocks; ++i) {
        long part = (i < 8 ? c : more) >>> 8 * (i % 8) & 0xff;
        sum ^= part == 0 ? 0 : data.u8(at + blockBytes(m, s + i) + j) & part;
      }
      value |= (long) parity(sum) << j;
    }
    return compared ? value ^ fingerprint & mask(bits) : value;
  }

  private static final class SmallSet extends Ribbon {
    private final long m;
    private final long factor;
    private final long first; // the bits of hi that count

    SmallSet(Bytes data, boolean filter) throws RefusedException {
      super(data, filter);
      need(data.u16(2) == 0 && data.u8(4) == 0 && data.u8(5) <= 63, "the header of a small set");
      m = n == 0 ? 0 : 8 * ceilDiv(n + n / 40 + 2, 8);
      factor = mix64(data.u8(5) + 0x9e3779b97f4a7c15L) | 1;
      first = filter ? 0 : -1;
      need(data.length() == 64 + blockBytes(m, m / 8) + 32, "the length of a small set");
      data.zero(data.length() - 32, data.length());
    }

    @Override
    long look(long hi, long lo, long fingerprint, boolean compared) {
      if (n == 0) {
        return compared ? fingerprint & mask(width) : 0;
      }
      long h = lo * factor + (hi & first);
      h = (h ^ h >>> 32) * 0xd6e8feb86659fd93L;
      long c = (h * ODD | 1) & mask((int) Math.min(m, 64));
      return row(64, m, mulhi(h, starts(m)), c, 0, fingerprint, compared);
    }
  }

  private static final class Partitioned extends Ribbon {
    private static final int[] THRESHOLDS = {0, 2, 5, 16};
    private static final int[] LONG_THRESHOLDS = {0, 4, 12, 64};
    private static final int LAYERS = 4;
    private static final int MOST_KEYS = 92_681; // of a partition, on average
    private static final int MOST_LONG_KEYS = 524_288;

    private final int g;
    private final int bucket; // starts
    private final int[] thresholds;
    private final long table;
    private final long slots; // of layer 0

    Partitioned(Bytes data, boolean filter) throws RefusedException {
      super(data, filter);
      g = data.u8(4);
      bucket = longRows ? 64 : 16;
      thresholds = longRows ? LONG_THRESHOLDS : THRESHOLDS;
      int most = longRows ? MOST_LONG_KEYS : MOST_KEYS;
      need(data.u16(2) == bucket && data.u8(5) == 0, "the header of a ribbon");
      need(g <= 32 && n >>> g <= most && n >= 0 && (g == 0 || n >>> g - 1 > most), "the partitions");
      table = data.length() - 32 - (8L << g);
      need(table >= 64, "no room for the table of the partitions");
      data.zero(data.length() - 32, data.length());
      need(data.u64(table) == 64, "the first body");
      long k = n >> g;
      slots = 8 * Math.max(blocks, (k - 4 * k / (8 * blocks) + 4) / 8);
      need(64 + layerBytes(slots) + 12 <= table, "no room for a partition");
    }

    private long layerBytes(long m) {
      return blockBytes(m, m / 8) + ceilDiv(starts(m), 4 * bucket);
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
              m = 8 * data.u32(counts + 4 * (layer - 1));
              if (m < 8 * blocks || at + layerBytes(m) > table) {
                break;
              }
              h = nextHi(h, lo);
              lo = nextLo(h, lo);
            }
            long s = mulhi(layer == 0 ? h << g : h, starts(m));
            int threshold = (int) data.bits((at + blockBytes(m, m / 8)) * 8 + 2 * (s / bucket), 2);
            if (s % bucket >= thresholds[threshold]) {
              long x = h * ODD;
              long more = (x ^ x >>> 32) * 0xd6e8feb86659fd93L;
              return row(at, m, s, x | 1, more, fingerprint, compared);
            }
            at = layer == 0 ? counts + 12 : at + layerBytes(m);
          }
        }
      }
      return compared ? fingerprint & mask(width) : 0;
    }
  }
}
