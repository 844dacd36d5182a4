// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** BLAKE2b-512 (RFC 7693), which a signature of minisign is of. */
final class Blake2b {
  private static final int BLOCK = 128;
  private static final int PIECE = 1 << 16;
  private static final long[] START = {
    0x6a09e667f3bcc908L, 0xbb67ae8584caa73bL, 0x3c6ef372fe94f82bL, 0xa54ff53a5f1d36f1L,
    0x510e527fade682d1L, 0x9b05688c2b3e6c1fL, 0x1f83d9abfb41bd6bL, 0x5be0cd19137e2179L
  };
  private static final int[][] SIGMA = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}
  };

  private final long[] h = START.clone();
  private final long[] m = new long[16];
  private final long[] v = new long[16];

  private Blake2b() {
    h[0] ^= 0x01010000L ^ 64;
  }

  static byte[] hash(Bytes data) {
    Blake2b state = new Blake2b();
    long done = 0;
    // The last block, perhaps a short one or none, is told apart.
    while (data.length() - done > BLOCK) {
      int size = (int) Math.min(PIECE, (data.length() - done - 1) / BLOCK * BLOCK);
      ByteBuffer piece = ByteBuffer.wrap(data.slice(done, size).copy()).order(ByteOrder.LITTLE_ENDIAN);
      for (int at = 0; at < size; at += BLOCK) {
        state.block(piece, at, done + at + BLOCK, false);
      }
      done += size;
    }
    ByteBuffer last = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    last.put(data.slice(done, data.length() - done).copy());
    state.block(last, 0, data.length(), true);
    ByteBuffer hash = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    for (long word : state.h) {
      hash.putLong(word);
    }
    return hash.array();
  }

  private void block(ByteBuffer bytes, int at, long total, boolean isLast) {
    for (int i = 0; i < 16; ++i) {
      m[i] = bytes.getLong(at + 8 * i);
    }
    System.arraycopy(h, 0, v, 0, 8);
    System.arraycopy(START, 0, v, 8, 8);
    v[12] ^= total;
    if (isLast) {
      v[14] = ~v[14];
    }
    for (int round = 0; round < 12; ++round) {
      int[] s = SIGMA[round % 10];
      for (int i = 0; i < 4; ++i) {
        mix(i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
      }
      for (int i = 0; i < 4; ++i) {
        mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
      }
    }
    for (int i = 0; i < 8; ++i) {
      h[i] ^= v[i] ^ v[i + 8];
    }
  }

  private void mix(int a, int b, int c, int d, long x, long y) {
    v[a] += v[b] + x;
    v[d] = Long.rotateRight(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = Long.rotateRight(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = Long.rotateRight(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = Long.rotateRight(v[b] ^ v[c], 63);
  }
}
