// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.mulhi;

/** XXH3-64 and XXH64, of xxHash 0.8.0, and what {@link Hash128} has in common with them. */
final class Xxh {
  private Xxh() {}

  private static final long P32A = 0x9e3779b1L;
  private static final long P32B = 0x85ebca77L;
  private static final long P32C = 0xc2b2ae3dL;
  static final long P1 = 0x9e3779b185ebca87L;
  static final long P2 = 0xc2b2ae3d27d4eb4fL;
  private static final long P3 = 0x165667b19e3779f9L;
  static final long P4 = 0x85ebca77c2b2ae63L;
  private static final long P5 = 0x27d4eb2f165667c5L;
  private static final long LOW = 0xffffffffL;

  private static final byte[] SECRET_BYTES = java.util.HexFormat.of().parseHex(
      "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
          + "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
          + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
          + "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");
  static final Bytes SECRET = Bytes.of(SECRET_BYTES);

  /** XXH3_64bits_withSeed. */
  static long hash64(Bytes data, long seed) {
    long n = data.length();
    if (n <= 16) {
      return upTo16(data, (int) n, seed);
    }
    long total = n * P1;
    if (n <= 128) {
      for (int i = (int) (n - 1) / 32; i >= 0; --i) {
        total += mix16(data, 16 * i, 32 * i, seed) + mix16(data, n - 16 * (i + 1), 32 * i + 16, seed);
      }
      return avalanche(total);
    }
    if (n <= 240) {
      for (int i = 0; i < 8; ++i) {
        total += mix16(data, 16 * i, 16 * i, seed);
      }
      total = avalanche(total);
      for (int i = 8; i < n / 16; ++i) {
        total += mix16(data, 16 * i, 16 * (i - 8) + 3, seed);
      }
      return avalanche(total + mix16(data, n - 16, 119, seed));
    }
    Bytes secret = secretOf(seed);
    long[] acc = start();
    addStripes(acc, data, (n - 1) / 64, secret);
    addLast(acc, data.slice(n - 64, 64), secret);
    return merge(acc, secret, 11, total);
  }

  /** The second half of the key hash of 17 to 128 bytes (crivo-1.md, "Keys and their hash"). */
  static long secondOfMedium(Bytes data, long seed) {
    long n = data.length();
    long folds = n * P1;
    long upper = 0;
    for (int i = 0; i <= (n - 1) / 32; ++i) {
      long right = n - 16 * (i + 1);
      folds += mix16(data, 16 * i, 32 * i, seed) + mix16(data, right, 32 * i + 16, seed);
      upper += upperOf16(data, 16 * i, 32 * i, seed) + upperOf16(data, right, 32 * i + 16, seed);
    }
    return avalanche(upper + folds * P2);
  }

  /** XXH64 with seed 0. */
  static long xxh64(Bytes data) {
    long n = data.length();
    long at = 0;
    long x = P5;
    if (n >= 32) {
      long[] acc = {P1 + P2, P2, 0, -P1};
      for (; n - at >= 32; at += 32) {
        for (int i = 0; i < 4; ++i) {
          acc[i] = round(acc[i], data.u64(at + 8 * i));
        }
      }
      x = Long.rotateLeft(acc[0], 1) + Long.rotateLeft(acc[1], 7) + Long.rotateLeft(acc[2], 12)
          + Long.rotateLeft(acc[3], 18);
      for (long a : acc) {
        x = (x ^ round(0, a)) * P1 + P4;
      }
    }
    x += n;
    for (; n - at >= 8; at += 8) {
      x = Long.rotateLeft(x ^ round(0, data.u64(at)), 27) * P1 + P4;
    }
    if (n - at >= 4) {
      x = Long.rotateLeft(x ^ data.u32(at) * P1, 23) * P2 + P3;
      at += 4;
    }
    for (; at < n; ++at) {
      x = Long.rotateLeft(x ^ data.u8(at) * P5, 11) * P1;
    }
    return avalanche64(x);
  }

  private static long upTo16(Bytes data, int n, long seed) {
    if (n > 8) {
      long low = data.u64(0) ^ (SECRET.u64(24) ^ SECRET.u64(32)) + seed;
      long high = data.u64(n - 8) ^ (SECRET.u64(40) ^ SECRET.u64(48)) - seed;
      return avalanche(n + Long.reverseBytes(low) + high + fold(low, high));
    }
    if (n > 3) {
      seed ^= (long) Integer.reverseBytes((int) seed) << 32;
      long x = data.u32(n - 4) + (data.u32(0) << 32) ^ (SECRET.u64(8) ^ SECRET.u64(16)) - seed;
      x = (x ^ Long.rotateLeft(x, 49) ^ Long.rotateLeft(x, 24)) * 0x9fb21c651e98df25L;
      x = (x ^ (x >>> 35) + n) * 0x9fb21c651e98df25L;
      return x ^ x >>> 28;
    }
    if (n > 0) {
      long combined = (long) data.u8(0) << 16 | (long) data.u8(n >> 1) << 24 | data.u8(n - 1) | (long) n << 8;
      return avalanche64(combined ^ (SECRET.u32(0) ^ SECRET.u32(4)) + seed);
    }
    return avalanche64(seed ^ SECRET.u64(56) ^ SECRET.u64(64));
  }

  private static long fold(long a, long b) {
    return a * b ^ mulhi(a, b);
  }

  static long avalanche(long x) {
    x = (x ^ x >>> 37) * 0x165667919e3779f9L;
    return x ^ x >>> 32;
  }

  private static long avalanche64(long x) {
    x = (x ^ x >>> 33) * P2;
    x = (x ^ x >>> 29) * P3;
    return x ^ x >>> 32;
  }

  private static long round(long acc, long word) {
    return Long.rotateLeft(acc + word * P2, 31) * P1;
  }

  private static long upperOf16(Bytes data, long at, int secret, long seed) {
    return mulhi(data.u64(at) ^ SECRET.u64(secret) + seed, data.u64(at + 8) ^ SECRET.u64(secret + 8) - seed);
  }

  static long mix16(Bytes data, long at, int secret, long seed) {
    return fold(data.u64(at) ^ SECRET.u64(secret) + seed, data.u64(at + 8) ^ SECRET.u64(secret + 8) - seed);
  }

  private static Bytes secretOf(long seed) {
    if (seed == 0) {
      return SECRET;
    }
    java.nio.ByteBuffer secret = java.nio.ByteBuffer.allocate(192).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 24; ++i) {
      secret.putLong(SECRET.u64(8 * i) + (i % 2 == 0 ? seed : -seed));
    }
    return Bytes.of(secret.array());
  }

  /** The state of XXH3 before more than 240 bytes. */
  static long[] start() {
    return new long[] {P32C, P1, P2, P3, P4, P32B, P5, P32A};
  }

  /** Takes so many stripes of 64 bytes, the first of which is the first of a block of 16. */
  static void addStripes(long[] acc, Bytes data, long stripes, Bytes secretBytes) {
    long[] secret = new long[24];
    for (int i = 0; i < 24; ++i) {
      secret[i] = secretBytes.u64(8 * i);
    }
    for (long stripe = 0; stripe < stripes; ++stripe) {
      accumulate(acc, data, 64 * stripe, secret, (int) (stripe % 16));
      if (stripe % 16 == 15) {
        for (int i = 0; i < 8; ++i) {
          acc[i] = (acc[i] ^ acc[i] >>> 47 ^ secret[16 + i]) * P32A;
        }
      }
    }
  }

  /** Takes the last 64 bytes. */
  static void addLast(long[] acc, Bytes data, Bytes secretBytes) {
    long[] secret = new long[8];
    for (int i = 0; i < 8; ++i) {
      secret[i] = secretBytes.u64(121 + 8 * i);
    }
    accumulate(acc, data, 0, secret, 0);
  }

  private static void accumulate(long[] acc, Bytes data, long at, long[] secret, int from) {
    for (int i = 0; i < 8; ++i) {
      long word = data.u64(at + 8 * i);
      long key = word ^ secret[from + i];
      acc[i ^ 1] += word;
      acc[i] += (key & LOW) * (key >>> 32);
    }
  }

  static long merge(long[] acc, Bytes secret, int at, long start) {
    for (int i = 0; i < 4; ++i) {
      start += fold(acc[2 * i] ^ secret.u64(at + 16 * i), acc[2 * i + 1] ^ secret.u64(at + 16 * i + 8));
    }
    return avalanche(start);
  }
}
