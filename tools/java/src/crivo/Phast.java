// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.Bits.ceilDiv;
import static crivo.Bits.least;
import static crivo.Bits.mix64;
import static crivo.Bits.mulhi;
import static crivo.Bits.roundUp;
import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.List;

/** Section 16, and the rest of section 17: phast.md. */
final class Phast implements Mphf {
  private static final int MOST_LEVELS = 24;
  private static final int MOST_SMALL = 64;
  private static final int MOST_SMALL_REST = 1024; // of bumped keys

  private final Bytes data;
  private final long n;
  private final List<Level> levels = new ArrayList<>();
  private final long small; // keys of the small set
  private long salt;
  private long seeds;
  private final long end;

  /** A whole section. */
  static Phast section(Bytes data) throws RefusedException {
    Phast phast = new Phast(data, 0);
    need(phast.end == data.length(), "the length of the MPHF");
    return phast;
  }

  Phast(Bytes data, long at) throws RefusedException {
    this.data = data;
    n = data.u64(at);
    int seedBits = data.u8(at + 8);
    need(!below(1L << 40, n) && seedBits >= 9 && seedBits <= 16, "the header of the MPHF");
    data.zero(at + 9, at + 16);
    at += 16;
    long k = n;
    while (k > (levels.isEmpty() ? MOST_SMALL : MOST_SMALL_REST)) {
      need(levels.size() < MOST_LEVELS, "too many levels");
      Level level = new Level(data, at, k, seedBits);
      levels.add(level);
      at = level.end;
      k = level.holes.count();
    }
    small = k;
    if (k > 0) {
      salt = data.u64(at);
      need(below(salt, 64), "the salt of the small set");
      seeds = at + 8;
      long seedsEnd = seeds + 2 * ceilDiv(k, 5);
      at = roundUp(seedsEnd, 8);
      data.zero(seedsEnd, at);
    }
    need(at <= data.length(), "the MPHF is cut off");
    end = at;
  }

  @Override
  public long keys() {
    return n;
  }

  long end() {
    return end;
  }

  @Override
  public long rank(long hi, long lo) {
    return rank(0, hi, lo);
  }

  private long rank(int i, long hi, long lo) {
    if (i > 0) {
      lo ^= mix64(hi + i);
      hi ^= mix64(lo + i);
    }
    if (i == levels.size()) {
      return smallRank(hi, lo);
    }
    Level level = levels.get(i);
    int seed = level.seed(hi);
    return seed != 0 ? level.value(hi, seed) : level.holes.value(rank(i + 1, hi, lo));
  }

  private long smallRank(long hi, long lo) {
    if (small == 0) {
      return 0;
    }
    long z = mix64(hi ^ mix64(lo + salt));
    long s = data.u16(seeds + 2 * mulhi(z, ceilDiv(small, 5)));
    long y = (z ^ s * 0x9e3779b97f4a7c15L) * 0xd6e8feb86659fd93L;
    y = (y ^ y >>> 32) * 0xd6e8feb86659fd93L;
    return mulhi(y, small);
  }

  private static final class Level {
    final Bytes data;
    final long k;
    final int seedBits;
    final int sliceBits;
    final long buckets;
    final long seeds;
    final EliasFano holes;
    final long end;

    Level(Bytes data, long at, long k, int seedBits) throws RefusedException {
      this.data = data;
      this.k = k;
      this.seedBits = seedBits;
      long perPartition = data.u32(at);
      sliceBits = data.u8(at + 4);
      int g = data.u8(at + 5);
      need(perPartition >= 8 && perPartition <= 1 << 20 && perPartition % 8 == 0 && sliceBits <= 11 && g <= 22,
          "the shape of a level");
      data.zero(at + 6, at + 8);
      buckets = perPartition << g;
      seeds = at + 8;
      at = data.packedEnd(seeds, buckets * seedBits);
      long count = data.u64(at);
      need(!below(k, count), "more holes than keys");
      holes = new EliasFano(data, at + 8, count, k);
      end = holes.end();
      need(end <= data.length(), "a level is cut off");
    }

    int seed(long hi) {
      return (int) data.bits(seeds * 8 + mulhi(hi, buckets) * seedBits, seedBits);
    }

    long value(long hi, int seed) {
      int family = seed >> 8;
      int shift = seed & 0xff;
      long x = (short) ((hi & 0xffff) * (2 * family + 1)) >> 16 - sliceBits;
      return least(mulhi(hi, k) + x + shift, k - 1);
    }
  }
}
