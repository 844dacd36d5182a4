// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.Bits.first;
import static crivo.Bits.least;
import static crivo.Bits.mix64;
import static crivo.Bits.mixed;
import static crivo.Bits.mulhi;
import static crivo.Bits.parity;
import static crivo.Bits.roundUp;
import static crivo.RefusedException.need;

/** Section 17: consensus.md. */
final class Consensus implements Mphf {
  private static final int MOST_KEYS = 370_727; // of a partition, on average
  private static final int ENTRY = 40;
  private static final int APART = 4096; // what partitions of a manifest may begin at multiples of

  private final Bytes data;
  private final long n;
  private final int bucketBits; // K
  private final int[] levelBits; // A
  private final int treeBits; // T
  private final int g;
  private final Part[] parts;
  private final long inBuckets;
  private final Phast rest; // null: there is none

  /** A partition: where its arrays are, and the ranks before it. */
  private record Part(long[] c, int buckets, int exceptions, int salt, long thresholds, long exceptionsAt, long columns,
                      long trees, long before) {}

  Consensus(Bytes data) throws RefusedException {
    this.data = data;
    n = data.u64(0);
    bucketBits = data.u8(8);
    need(!below(1L << 48, n) && bucketBits >= 9 && bucketBits <= 12 && data.u8(9) == 0, "the header of the MPHF");
    levelBits = new int[bucketBits - 1];
    int total = 0;
    for (int l = 0; l < levelBits.length; ++l) {
      levelBits[l] = data.u16(10 + 2L * l);
      need(levelBits[l] <= 15 << l, "the bits of a level");
      total += levelBits[l];
    }
    treeBits = total;
    need(treeBits % 8 == 0 && levelBits[0] + levelBits[1] / 2 >= 15, "the bits of a tree");
    long headerEnd = 10 + 2L * levelBits.length;
    long at = roundUp(headerEnd, 8);
    data.zero(headerEnd, at);
    int bits = 0;
    while (n >>> bits > MOST_KEYS) {
      ++bits;
    }
    g = bits;
    long table = data.length() - ((long) ENTRY << g);
    need(table >= at && table % 8 == 0, "no room for the table of the partitions");
    parts = new Part[1 << g];
    long before = 0;
    for (int i = 0; i < parts.length; ++i) {
      long entry = table + (long) ENTRY * i;
      at = data.u8(entry + 37) == 0 ? at : roundUp(at, APART);
      Part part = part(entry, at, before);
      parts[i] = part;
      before += (long) part.buckets << bucketBits;
      if (part.buckets > 0) {
        long treesEnd = part.trees + (long) part.buckets * treeBits / 8;
        at = roundUp(treesEnd, 8);
        data.zero(treesEnd, at);
      }
    }
    inBuckets = before;
    need(inBuckets <= n, "more keys in buckets than there are");
    rest = inBuckets < n ? new Phast(data, at) : null;
    need(rest == null || rest.keys() == n - inBuckets, "the keys of the rest");
    need((rest == null ? at : rest.end()) == table, "the parts do not end where their table begins");
  }

  private Part part(long entry, long at, long before) throws RefusedException {
    long[] c = new long[9];
    for (int j = 0; j < 8; ++j) {
      c[j + 1] = data.u32(entry + 4L * j);
    }
    int buckets = data.u16(entry + 32);
    int exceptions = data.u16(entry + 34);
    need(data.u8(entry + 37) <= 1, "where a partition begins");
    data.zero(entry + 38, entry + ENTRY);
    need(buckets <= 1 << 19 - bucketBits && exceptions <= buckets, "the entry of a partition");
    long thresholdsEnd = at + 2L * (buckets + 1);
    long exceptionsAt = roundUp(thresholdsEnd, 8);
    if (buckets > 0) {
      data.zero(thresholdsEnd, exceptionsAt);
    }
    long columns = exceptionsAt + 16L * exceptions;
    long trees = columns + ((long) buckets << bucketBits) / 16 + 8;
    return new Part(c, buckets, exceptions, data.u8(entry + 36), at, exceptionsAt, columns, trees, before);
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public long rank(long hi, long lo) {
    if (n == 0) {
      return 0;
    }
    Part part = parts[(int) first(hi, g)];
    int b = bucket(part, hi, lo);
    return b < part.buckets ? rank(part, b, hi, lo) : rest(hi, lo);
  }

  private long rest(long hi, long lo) {
    if (rest == null) {
      return n - 1;
    }
    long[] hash = mixed(hi, lo, 1);
    return inBuckets + rest.rank(hash[0], hash[1]);
  }

  private long estimate(Part part, long hi) {
    long h = hi << g;
    int j = (int) (h >>> 61);
    int scale = 16 - bucketBits;
    return (part.c[j] << scale) + mulhi(h << 3, part.c[j + 1] - part.c[j] << scale);
  }

  private int bucket(Part part, long hi, long lo) {
    if (part.buckets == 0) {
      return 0;
    }
    long p = estimate(part, hi);
    int b = (int) least(p + (1 << 15) >>> 16, part.buckets);
    long q = ((long) b << 16) + (short) data.u16(part.thresholds + 2L * b);
    return b > 0 && (p < q || p == q && isBeforeException(part, p, hi, lo)) ? b - 1 : b;
  }

  private boolean isBeforeException(Part part, long p, long hi, long lo) {
    for (int i = 0; i < part.exceptions; ++i) {
      long at = part.exceptionsAt + 16L * i;
      long exception = data.u64(at);
      if (below(hi, exception) || hi == exception && below(lo, data.u64(at + 8))) {
        return estimate(part, exception) == p;
      }
    }
    return false;
  }

  private long rank(Part part, int b, long hi, long lo) {
    long m = part.salt == 0 ? lo : mix64(lo + mix64(hi + part.salt));
    long tree = part.trees * 8 + (long) b * treeBits;
    long j = 0;
    int above = 0;
    for (int l = 0; l < levelBits.length; ++l) {
      int begin = (int) (treeBits - above - ((j + 1) * levelBits[l] >> l));
      int window = (int) data.bits(tree + begin, Math.min(15, treeBits - begin));
      int s = 2 * window + 1;
      int u = s ^ s << 9 ^ s << 4;
      int x = (int) (m >>> 16 * (l % 4) & 0xffff);
      j = 2 * j + (u * x >>> 15 & 1);
      above += levelBits[l];
    }
    long z = m * 0x9fb21c651e98df25L >>> 8;
    long columns = data.bits(part.columns * 8 + ((long) b << bucketBits - 1) + j, 56);
    return part.before + ((long) b << bucketBits) + 2 * j + parity(z & columns);
  }
}
