// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** XXH3_128bits, of xxHash 0.8.0, of 17 bytes or more that come in runs. */
final class Hash128 {
  private static final int STRIPE = 64;
  private static final int BLOCK = 1024;

  private final byte[] kept = new byte[STRIPE + BLOCK]; // the last stripe that was hashed, then what is not yet
  private final long[] sums = Xxh.start();
  private int waiting; // bytes that are not hashed yet
  private long length;

  void add(Bytes run) {
    for (long at = 0; at < run.length(); ) {
      if (waiting == BLOCK) {
        Xxh.addStripes(sums, Bytes.of(kept).slice(STRIPE, BLOCK), BLOCK / STRIPE, Xxh.SECRET);
        System.arraycopy(kept, BLOCK, kept, 0, STRIPE);
        waiting = 0;
      }
      int size = (int) Math.min(BLOCK - waiting, run.length() - at);
      run.slice(at, size).copyTo(kept, STRIPE + waiting);
      waiting += size;
      at += size;
    }
    length += run.length();
  }

  /** The low half, then the high one. */
  byte[] finish() {
    Bytes rest = Bytes.of(kept).slice(STRIPE, waiting);
    long[] halves = length <= 240 ? ofShort(rest) : ofLong(rest);
    return ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(halves[0]).putLong(halves[1]).array();
  }

  private long[] ofLong(Bytes rest) {
    Xxh.addStripes(sums, rest, (waiting - 1) / STRIPE, Xxh.SECRET);
    Xxh.addLast(sums, Bytes.of(kept).slice(waiting, STRIPE), Xxh.SECRET);
    return new long[] {
      Xxh.merge(sums, Xxh.SECRET, 11, length * Xxh.P1), Xxh.merge(sums, Xxh.SECRET, 117, ~(length * Xxh.P2))
    };
  }

  private static long[] ofShort(Bytes data) {
    long n = data.length();
    if (n <= 16) {
      throw new IllegalArgumentException("shorter than anything that is hashed by 128 bits");
    }
    long[] acc = {0, n * Xxh.P1}; // high, low
    if (n <= 128) {
      for (int i = (int) (n - 1) / 32; i >= 0; --i) {
        mix32(acc, data, 16 * i, n - 16 * (i + 1), 32 * i);
      }
    } else {
      for (int i = 0; i < 4; ++i) {
        mix32(acc, data, 32 * i, 32 * i + 16, 32 * i);
      }
      acc[0] = Xxh.avalanche(acc[0]);
      acc[1] = Xxh.avalanche(acc[1]);
      for (int i = 4; i < n / 32; ++i) {
        mix32(acc, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4));
      }
      mix32(acc, data, n - 16, n - 32, 103);
    }
    return new long[] {
      Xxh.avalanche(acc[1] + acc[0]), -Xxh.avalanche(acc[1] * Xxh.P1 + acc[0] * Xxh.P4 + n * Xxh.P2)
    };
  }

  private static void mix32(long[] acc, Bytes data, long first, long second, int secret) {
    acc[1] = acc[1] + Xxh.mix16(data, first, secret, 0) ^ data.u64(second) + data.u64(second + 8);
    acc[0] = acc[0] + Xxh.mix16(data, second, secret + 16, 0) ^ data.u64(first) + data.u64(first + 8);
  }
}
