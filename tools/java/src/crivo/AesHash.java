// SPDX-License-Identifier: Apache-2.0
package crivo;

/** Function 9 under one seed (crivo-1.md, "Function 9"). */
final class AesHash {
  private static final int LANES = 8;
  private static final int ROUNDS = 4;
  private static final int LEVELS = 6;
  private static final int FINISH = 10;
  private static final int BLOCK = 16;
  private static final int LEAF = LANES * BLOCK;
  private static final int TREE = LEAF << 3 * (LEVELS - 1);
  private static final int[] SUBSTITUTES = substitutes();
  private static final int[] COLUMNS = columns();

  /** Of each level, round and lane the four columns of a block. */
  private final int[][][][] keys = new int[LEVELS][ROUNDS][LANES][];
  private final int[][] finish;

  AesHash(long seed, long high) {
    int[][] master = expand(block(seed, high));
    finish = expand(encrypt(master, block(0, 0)));
    long drawn = 1;
    for (int[][][] level : keys) {
      for (int[][] round : level) {
        for (int lane = 0; lane < LANES; ++lane) {
          round[lane] = encrypt(master, block(drawn++, 0));
        }
      }
    }
  }

  KeyHash of(byte[] key) {
    int size = Math.min(key.length, TREE);
    int height = 0;
    for (long bytes = LEAF; bytes < size; bytes *= LANES) {
      ++height;
    }
    int[] h = encrypt(finish, sum(node(key, 0, size, height), block(key.length, 0)));
    return new KeyHash(h[0] & 0xffffffffL | (long) h[1] << 32, h[2] & 0xffffffffL | (long) h[3] << 32);
  }

  private int[] node(byte[] key, int from, int size, int level) {
    int child = level == 0 ? BLOCK : LEAF << 3 * (level - 1);
    int[] total = new int[4];
    for (int at = 0, i = 0; at < size; at += child, ++i) {
      int[] own = level == 0 ? leafBlock(key, from, size, at) : node(key, from + at, Math.min(child, size - at), level - 1);
      own = sum(own, keys[level][0][i]);
      for (int r = 1; r < ROUNDS; ++r) {
        own = round(own, keys[level][r][i]);
      }
      total = sum(total, round(own, new int[4]));
    }
    return total;
  }

  /** The block of a leaf of `size` bytes that begins at `at`, or its last one. */
  private static int[] leafBlock(byte[] key, int from, int size, int at) {
    if (size >= BLOCK) {
      int begin = from + Math.min(at, size - BLOCK);
      return block(little(key, begin, 8), little(key, begin + 8, 8));
    }
    if (size >= 4) {
      int half = size >= 8 ? 8 : 4;
      return block(little(key, from, half), little(key, from + size - half, half));
    }
    long first = key[from] & 0xff;
    return block(first | (key[from + size / 2] & 0xffL) << 8 | (key[from + size - 1] & 0xffL) << 16, 0);
  }

  private static long little(byte[] key, int at, int size) {
    long number = 0;
    for (int i = size - 1; i >= 0; --i) {
      number = number << 8 | key[at + i] & 0xff;
    }
    return number;
  }

  private static int[] block(long low, long high) {
    return new int[] {(int) low, (int) (low >>> 32), (int) high, (int) (high >>> 32)};
  }

  private static int[] sum(int[] a, int[] b) {
    return new int[] {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]};
  }

  /** The byte that ShiftRows brings to a row of column i. */
  private static int shifted(int[] block, int i, int row) {
    return block[i + row & 3] >>> 8 * row & 0xff;
  }

  private static int[] round(int[] from, int[] key) {
    int[] to = key.clone();
    for (int i = 0; i < 4; ++i) {
      for (int row = 0; row < 4; ++row) {
        to[i] ^= Integer.rotateLeft(COLUMNS[shifted(from, i, row)], 8 * row);
      }
    }
    return to;
  }

  private static int[] encrypt(int[][] roundKeys, int[] block) {
    int[] state = sum(block, roundKeys[0]);
    for (int r = 1; r < FINISH; ++r) {
      state = round(state, roundKeys[r]);
    }
    int[] to = roundKeys[FINISH].clone();
    for (int i = 0; i < 4; ++i) {
      for (int row = 0; row < 4; ++row) {
        to[i] ^= SUBSTITUTES[shifted(state, i, row)] << 8 * row;
      }
    }
    return to;
  }

  /** The round keys of AES-128. */
  private static int[][] expand(int[] key) {
    int[][] all = new int[FINISH + 1][];
    all[0] = key;
    int constant = 1;
    for (int r = 1; r <= FINISH; ++r) {
      int last = Integer.rotateRight(all[r - 1][3], 8);
      int word = constant;
      for (int i = 0; i < 4; ++i) {
        word ^= SUBSTITUTES[last >>> 8 * i & 0xff] << 8 * i;
      }
      all[r] = all[r - 1].clone();
      for (int i = 0; i < 4; ++i) {
        all[r][i] ^= word;
        word = all[r][i];
      }
      constant = doubled(constant);
    }
    return all;
  }

  private static int doubled(int x) {
    return (x << 1 ^ (x >> 7) * 0x1b) & 0xff;
  }

  private static int[] substitutes() {
    int[] of = new int[256];
    int power = 1;
    int inverse = 1;
    do {
      power ^= doubled(power);
      inverse ^= inverse << 1;
      inverse ^= inverse << 2;
      inverse = (inverse ^ inverse << 4) & 0xff;
      inverse ^= (inverse >> 7) * 0x09;
      int turned = inverse * 0x1010101;
      of[power] = (inverse ^ turned >>> 7 ^ turned >>> 6 ^ turned >>> 5 ^ turned >>> 4 ^ 0x63) & 0xff;
    } while (power != 1);
    of[0] = 0x63;
    return of;
  }

  private static int[] columns() {
    int[] of = new int[256];
    for (int x = 0; x < 256; ++x) {
      int once = SUBSTITUTES[x];
      of[x] = doubled(once) | once << 8 | once << 16 | (once ^ doubled(once)) << 24;
    }
    return of;
  }
}
