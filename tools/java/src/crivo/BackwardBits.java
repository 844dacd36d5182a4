// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Bits of zstd that are read from the end of a run of bytes: below the highest bit that is set in the last byte. */
final class BackwardBits {
  private final byte[] bytes;
  private final int begin;
  private final int end;
  private long left; // bits; below 0: so many were read that there are not

  BackwardBits(byte[] bytes, int begin, int end) throws RefusedException {
    need(end > begin && bytes[end - 1] != 0, "the end of a bit stream");
    this.bytes = bytes;
    this.begin = begin;
    this.end = end;
    left = 8L * (end - begin) - 1 - (Integer.numberOfLeadingZeros(bytes[end - 1] & 0xff) - 24);
  }

  /** Up to 31 bits; those before the begin are 0. */
  int read(int count) {
    left -= count;
    return at(left, count);
  }

  /** What read() would give, of which `keep` bits are left. */
  int peek(int count) {
    return at(left - count, count);
  }

  void skip(int count) {
    left -= count;
  }

  boolean isAtEnd() {
    return left == 0;
  }

  boolean isPast() {
    return left < 0;
  }

  private int at(long place, int count) {
    if (place < 0) {
      int lacking = (int) Math.min(-place, count);
      return lacking == count ? 0 : at(0, count - lacking) << lacking;
    }
    int first = begin + (int) (place >> 3);
    long value = 0;
    for (int i = 0; i < 5 && first + i < end; ++i) {
      value |= (bytes[first + i] & 0xffL) << 8 * i;
    }
    return (int) (value >> (place & 7) & (1L << count) - 1);
  }
}
