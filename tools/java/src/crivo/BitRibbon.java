// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.Bits.parity;
import static crivo.RefusedException.need;

/** A one-bit ribbon of coded.md: where its slices begin, in the bytes of a section. */
final class BitRibbon {
  private static final int[][] THRESHOLDS = {{0, 26, 64, 128}, {0, 32, 96, 256}, {0, 41, 102, 512}};
  private static final int LAYERS = 4;

  private final Bytes data;
  private final int longest;
  private final int sliceBits;
  private final int bucketBits;
  private final long table;
  private final int entryBytes;
  private final long[] begins;

  /** Of the shape that stands in three bytes; `table` is where its layers of the first partition stand, each `entryBytes` on. */
  BitRibbon(Bytes data, Bytes shape, long table, int entryBytes, int partitions) throws RefusedException {
    this.data = data;
    this.table = table;
    this.entryBytes = entryBytes;
    longest = shape.u8(0);
    sliceBits = shape.u8(1);
    bucketBits = shape.u8(2);
    need(longest >= 1 && longest <= 30 && sliceBits <= 16 && bucketBits >= 7 && bucketBits <= 9, "the shape of a ribbon");
    begins = new long[partitions << sliceBits];
  }

  /** The slices of partition `p` begin there; returns where they end. */
  long add(int p, long begin) throws RefusedException {
    long at = begin;
    for (int slice = p << sliceBits; slice < p + 1 << sliceBits; ++slice) {
      begins[slice] = at;
      for (int i = 0; i < LAYERS; ++i) {
        long m = slots(slice, i);
        need(m == 0 || m >= 127 + longest, "a layer is too small");
        at += m / 8 + thresholdBytes(m);
      }
      at = Bits.roundUp(at, 8);
    }
    return at;
  }

  int longest() {
    return longest;
  }

  private long slots(int slice, int layer) {
    long inEntry = 16L * (slice & (1 << sliceBits) - 1);
    return 64 * data.u32(table + (long) entryBytes * (slice >>> sliceBits) + inEntry + 4L * layer);
  }

  private long starts(long m) {
    return m - 126 - longest;
  }

  private long thresholdBytes(long m) {
    return m == 0 ? 0 : ceilDiv(starts(m), 4L << bucketBits);
  }

  /** The bits of a key of partition `p`, with its hash there; the first one lowest. */
  long read(int p, long hi, long lo) {
    int slice = p << sliceBits | (int) Bits.first(hi, sliceBits);
    long at = begins[slice];
    long thresholds = at;
    for (int i = 0; i < LAYERS; ++i) {
      thresholds += slots(slice, i) / 8;
    }
    long h = hi << sliceBits;
    for (int i = 0; i < LAYERS; ++i) {
      long m = slots(slice, i);
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
