// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.Bits.ceilDiv;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** Section 37: cuckoo.md. */
final class Cuckoo implements Filter {
  private static final int SLOTS = 4;
  /** The four symbols below 16 of each code of a semi-sorted bucket, four bits each. */
  private static final short[] SYMBOLS = symbols();

  private final Bytes data;
  private final int symbols; // A
  private final int lowBits; // r
  private final int g;
  private final long segment; // L, in buckets
  private final long n;
  private final int bucketBits; // w
  private final long largest; // F
  private final long stash;
  private final long stashed;

  Cuckoo(Bytes data) throws RefusedException {
    this.data = data;
    symbols = data.u8(0);
    lowBits = data.u8(1);
    g = data.u8(2);
    segment = data.u32(4);
    n = data.u64(8);
    need(data.u8(3) == 0 && g <= 40, "the header of a cuckoo filter");
    int codeBits = switch (symbols) {
      case 1 -> 0;
      case 9 -> 9;
      case 11 -> 10;
      case 13 -> 11;
      case 16 -> 12;
      default -> -1;
    };
    int widest = symbols == 1 ? 32 : symbols == 11 || symbols == 13 ? 27 : 28;
    need(codeBits >= 0 && lowBits >= (symbols == 1 ? 2 : 0) && lowBits <= widest, "the header of a cuckoo filter");
    need(segment >= 1 && segment <= 1 << 17 && (g == 0 || segment % 8 == 0), "the buckets");
    data.zero(24, 64);
    bucketBits = SLOTS * lowBits + codeBits;
    largest = ((long) symbols << lowBits) - 1;
    long buckets = segment << g;
    need(buckets <= data.length(), "the length of a cuckoo filter"); // a bucket has a byte and more
    long end = 64 + ceilDiv(buckets * bucketBits, 8);
    need(end + 32 <= data.length(), "the length of a cuckoo filter");
    data.zeroBits(64 * 8 + buckets * bucketBits, end + 16);
    long pairs = data.u64(data.length() - 16);
    stashed = data.u64(data.length() - 8);
    stash = end + 16;
    need(!below(data.length(), stashed) && data.length() == end + 32 + 16 * stashed, "the length of a cuckoo filter");
    long lastBucket = 0;
    long last = 0;
    for (long at = stash; at < stash + 16 * stashed; at += 16) {
      long bucket = data.u64(at);
      long fingerprint = data.u32(at + 8);
      need(below(bucket, buckets) && fingerprint >= 1 && fingerprint <= largest && data.u32(at + 12) == 0,
          "an entry of the stash");
      need(lastBucket < bucket || lastBucket == bucket && last <= fingerprint, "the order of the stash");
      lastBucket = bucket;
      last = fingerprint;
    }
    need(!below(SLOTS * buckets + stashed, n), "the number of keys");
    need(!below(2 * n, pairs) && (pairs == 0) == (n == 0), "the pairs");
    need(mulhi(buckets, largest) != 0 || !below(buckets * largest, pairs), "the rate");
  }

  private static short[] symbols() {
    short[] symbols = new short[1 << 12];
    for (int d = 0; d < 16; ++d) {
      for (int c = 0; c <= d; ++c) {
        for (int b = 0; b <= c; ++b) {
          for (int a = 0; a <= b; ++a) {
            int code = a + (b + 1) * b / 2 + (c + 2) * (c + 1) * c / 6 + (d + 3) * (d + 2) * (d + 1) * d / 24;
            symbols[code] = (short) (a | b << 4 | c << 8 | d << 12);
          }
        }
      }
    }
    return symbols;
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    long f = 1 + mulhi(hi * Ribbon.ODD, largest);
    long first = Bits.first(hi, g) * segment;
    long i = mulhi(hi << g, segment);
    long j = Math.floorMod(mulhi(f * 0x9e3779b97f4a7c15L, segment) - i, segment);
    return has(first + i, f) || has(first + j, f) || isStashed(first + Math.min(i, j), f);
  }

  private boolean has(long bucket, long f) {
    long at = 64 * 8 + bucket * bucketBits;
    int codeBits = bucketBits - SLOTS * lowBits;
    int four = symbols == 1 ? 0 : SYMBOLS[(int) data.bits(at, codeBits)];
    for (int i = 0; i < SLOTS; ++i) {
      long symbol = four >>> 4 * i & 0xf;
      long low = data.bits(at + codeBits + (long) lowBits * i, lowBits);
      if ((symbol << lowBits | low) == f) {
        return true;
      }
    }
    return false;
  }

  private boolean isStashed(long bucket, long f) {
    for (long at = stash; at < stash + 16 * stashed; at += 16) {
      if (data.u64(at) == bucket && data.u32(at + 8) == f) {
        return true;
      }
    }
    return false;
  }
}
