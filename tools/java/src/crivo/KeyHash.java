// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.mix64;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The 128-bit hash of a key, in two halves (crivo-1.md, "Keys and their hash"; functions 3 to 5: seeds.md). */
record KeyHash(long hi, long lo) {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final int TABLE_BYTES = 4096;
  private static final int MOST = 8;

  static boolean isKnown(long function) {
    return function >= 1 && function <= MOST;
  }

  /** The hash of a group whose name has this one: exact.md. */
  KeyHash ofGroup() {
    return new KeyHash(Bits.mix64(hi), Bits.mix64(lo));
  }

  static KeyHash of(int function, long seed, byte[] key) {
    Bytes bytes = Bytes.of(key);
    return switch (function) {
      case 1 -> new KeyHash(Xxh.hash64(bytes, seed), secondHalf(bytes, seed));
      case 2 -> new KeyHash(Xxh.xxh64(bytes), Xxh.hash64(bytes, seed));
      case 6 -> siphash(bytes, seed);
      case 7, 8 -> key.length <= 8 ? ofNumber(function, number(key), seed) : of(1, seed, key);
      default -> words(function, seed, key, bytes);
    };
  }

  /** The number of at most eight bytes, the highest first. */
  static long number(byte[] key) {
    if (key.length > 8) {
      throw new IllegalArgumentException("the ends of a range are numbers of at most 8 bytes");
    }
    long number = 0;
    for (byte each : key) {
      number = number << 8 | each & 0xff;
    }
    return number;
  }

  /** Functions 7 and 8 of a number (range.md). */
  static KeyHash ofNumber(int function, long number, long seed) {
    Bytes run = Bytes.of(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number >>> 12).array());
    return new KeyHash(function == 7 ? Xxh.hash64(run, seed) : siphash(run, seed).hi(), number);
  }

  private static long secondHalf(Bytes key, long seed) {
    boolean isMedium = 17 <= key.length() && key.length() <= 128;
    return isMedium ? Xxh.secondOfMedium(key, seed) : Xxh.hash64(key, seed + GOLDEN);
  }

  private static KeyHash words(int function, long seed, byte[] key, Bytes bytes) {
    long[] w = new long[4];
    for (int f = 0; f < 4; ++f) {
      w[f] = (function == 5 ? jenkins(bytes, seed, f) : table(function == 4, key, seed, f)) & 0xffffffffL;
    }
    return new KeyHash(w[0] << 32 | w[1], w[2] << 32 | w[3]);
  }

  private static int weight(long seed, long number) {
    return (int) (mix64(seed + (number + 1) * GOLDEN) >>> 32);
  }

  /** The universal hash, or Zobrist's. */
  private static int table(boolean zobrist, byte[] key, long seed, int f) {
    int sum = Math.max(0, key.length - TABLE_BYTES);
    for (int i = 0; i < Math.min(key.length, TABLE_BYTES); ++i) {
      int byteOf = key[i] & 0xff;
      sum += zobrist ? weight(seed, 4L * (256L * i + byteOf) + f) : weight(seed, 4L * i + f) * byteOf;
    }
    return sum;
  }

  private static int jenkins(Bytes key, long seed, int f) {
    int[] s = {0x9e3779b9, 0x9e3779b9, weight(seed, f)};
    long at = 0;
    for (; key.length() - at >= 12; at += 12) {
      for (int i = 0; i < 3; ++i) {
        s[i] += (int) key.u32(at + 4 * i);
      }
      stir(s);
    }
    s[2] += (int) key.length();
    for (int j = 0; at + j < key.length(); ++j) {
      int shifted = j < 8 ? j % 4 : j - 7;
      s[Math.min(j / 4, 2)] += key.u8(at + j) << 8 * shifted;
    }
    stir(s);
    return s[2];
  }

  private static void stir(int[] s) {
    int[][] shifts = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
    for (int[] by : shifts) {
      s[0] = s[0] - s[1] - s[2] ^ s[2] >>> by[0];
      s[1] = s[1] - s[2] - s[0] ^ s[0] << by[1];
      s[2] = s[2] - s[0] - s[1] ^ s[1] >>> by[2];
    }
  }

  /** SipHash-2-4-128 under the key (k0, 0). */
  private static KeyHash siphash(Bytes key, long k0) {
    long[] v = {k0 ^ 0x736f6d6570736575L, 0x646f72616e646f6dL ^ 0xee, k0 ^ 0x6c7967656e657261L, 0x7465646279746573L};
    long at = 0;
    for (; key.length() - at >= 8; at += 8) {
      absorb(v, key.u64(at));
    }
    absorb(v, key.number(at, (int) (key.length() - at)) | key.length() << 56);
    v[2] ^= 0xee;
    rounds(v, 4);
    long first = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    rounds(v, 4);
    return new KeyHash(first, v[0] ^ v[1] ^ v[2] ^ v[3]);
  }

  private static void absorb(long[] v, long word) {
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
  }

  private static void rounds(long[] v, int count) {
    for (int i = 0; i < count; ++i) {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
      v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
      v[0] = Long.rotateLeft(v[0], 32) + v[3];
      v[2] += v[1];
      v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
      v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
      v[2] = Long.rotateLeft(v[2], 32);
    }
  }
}
