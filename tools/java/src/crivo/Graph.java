// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mixed;
import static crivo.RefusedException.need;

/** Sections 18 to 21 and 50, the dissertation's structures over graphs: seeds.md. */
final class Graph implements Mphf, StaticFunction {
  static final int MWHC = 18;
  static final int FCH = 19;
  static final int BMZ = 20;
  static final int BDZ = 21;
  static final int FUNCTION = 50;

  private static final long LOW = 0xffffffffL;
  private static final int HEADER = 32;

  private final Bytes data;
  private final int type;
  private final long n;
  private final long m;
  private final long salt;
  private final long patternSalt;
  private final int range;
  private final int vertices;
  private final int width;

  Graph(Bytes data, int type) throws RefusedException {
    this.data = data;
    this.type = type;
    n = data.u64(0);
    m = data.u64(8);
    salt = data.u32(16);
    patternSalt = data.u32(20);
    range = data.u8(24);
    vertices = data.u8(25);
    width = data.u8(26);
    data.zero(27, HEADER);
    need(n >= 0 && n <= 1 << 30 && m >= 0 && m <= LOW && range <= 2, "the header of a graph");
    need(type == FCH || patternSalt == 0, "a pattern salt");
    need(switch (type) {
      case FCH -> vertices == 0;
      case BMZ -> vertices == 2;
      case BDZ -> vertices == 3;
      default -> vertices == 2 || vertices == 3;
    }, "the vertices of an edge");
    need(type == FUNCTION ? width >= 1 && width <= 64 : width == 0, "the bits of a value");
    need(n == 0 ? m == 0 : m >= (type == FCH ? 4 : vertices), "the size of a graph");
    need(data.length() == HEADER + size(), "the length of a graph");
    if (type == FUNCTION && n > 0) {
      data.zeroBits(HEADER * 8 + m * width, data.length());
    }
  }

  private long size() {
    if (n == 0) {
      return 0;
    }
    return switch (type) {
      case BDZ -> 68 * blocks();
      case FUNCTION -> ceilDiv(m * width, 8) + 16;
      default -> 4 * m;
    };
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
    return switch (type) {
      case FCH -> fch(hi, lo);
      case BDZ -> bdz(edge(hi, lo));
      default -> {
        long sum = 0;
        for (long v : edge(hi, lo)) {
          sum = type == BMZ ? sum + entry(v) & LOW : sum ^ entry(v);
        }
        yield Math.min(sum, n - 1);
      }
    };
  }

  @Override
  public long value(long hi, long lo) {
    long value = 0;
    for (long v : edge(hi, lo)) {
      value ^= data.bits(HEADER * 8 + v * width, width);
    }
    return value;
  }

  private long fch(long hi, long lo) {
    long p1 = 6 * n / 10;
    long p2 = 3 * m / 10;
    long i = below(words(hi, lo, salt)[0], n);
    long b = i < p1 ? i % p2 : p2 + (i - p1) % (m - p2);
    return (below(words(hi, lo, patternSalt)[1], n) + entry(b)) % n;
  }

  private long bdz(long[] edge) {
    long v = edge[(two(edge[0]) + two(edge[1]) + two(edge[2])) % 3];
    long before = data.u32(HEADER + 64 * blocks() + v / 256 * 4);
    for (long u = v / 256 * 256; u < v; ++u) {
      before += two(u) == 3 ? 0 : 1;
    }
    return Math.min(before, n - 1);
  }

  private long blocks() {
    return ceilDiv(m, 256);
  }

  private int two(long v) {
    return (int) data.bits(HEADER * 8 + 2 * v, 2);
  }

  private long entry(long v) {
    return data.u32(HEADER + 4 * v);
  }

  private long[] edge(long hi, long lo) {
    long[] w = words(hi, lo, salt);
    long v1 = below(w[0], m);
    long v2 = v1 + below(w[1], m - 1) + 1;
    if (vertices == 2) {
      return new long[] {v1, v2 % m};
    }
    long v3 = v1 + below(w[2], m - 2) + 1;
    return new long[] {v1, v2 % m, (v3 >= v2 ? v3 + 1 : v3) % m};
  }

  private static long[] words(long hi, long lo, long salt) {
    long[] hash = salt == 0 ? new long[] {hi, lo} : mixed(hi, lo, salt * 0x9e3779b97f4a7c15L);
    return new long[] {hash[0] >>> 32, hash[0] & LOW, hash[1] >>> 32, hash[1] & LOW};
  }

  /** range(w, k) of the page. */
  private long below(long w, long k) {
    if (range == 0) {
      return w % k;
    }
    if (range == 1) {
      long x = w & Bits.mask(64 - Long.numberOfLeadingZeros(k - 1));
      return x >= k ? x ^ k : x;
    }
    for (int i = 0; i < 32 && (w * k & LOW) < (1L << 32) % k; ++i) {
      long x = w + 1 & LOW;
      x = (x ^ x >>> 16) * 0x85ebca6bL & LOW;
      x = (x ^ x >>> 13) * 0xc2b2ae35L & LOW;
      w = x ^ x >>> 16;
    }
    return w * k >>> 32;
  }
}
