// SPDX-License-Identifier: Apache-2.0
package crivo;

/** The check of a unit: store.md. (That of java.util.zip begins with another register.) */
final class Crc32c {
  private Crc32c() {}

  private static final int[] OF_BYTES = new int[256];

  static {
    for (int b = 0; b < 256; ++b) {
      int state = b;
      for (int bit = 0; bit < 8; ++bit) {
        state = state >>> 1 ^ ((state & 1) != 0 ? 0x82f63b78 : 0);
      }
      OF_BYTES[b] = state;
    }
  }

  /** The CRC-32C of the bytes, their number and the rank. */
  static long of(Bytes bytes, long rank) {
    int state = 0;
    for (long i = 0; i < bytes.length(); ++i) {
      state = state >>> 8 ^ OF_BYTES[(state ^ bytes.u8(i)) & 0xff];
    }
    return ~after(after(state, bytes.length()), rank) & 0xffffffffL;
  }

  private static int after(int state, long number) {
    for (int i = 0; i < 64; i += 8) {
      state = state >>> 8 ^ OF_BYTES[(state ^ (int) (number >>> i)) & 0xff];
    }
    return state;
  }
}
