// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Bits of an array from a byte on, the lowest of each byte first. */
final class ForwardBits {
  private final byte[] bytes;
  private final int end;
  private long place; // in bits

  ForwardBits(byte[] bytes, int begin, int end) {
    this.bytes = bytes;
    this.end = end;
    place = 8L * begin;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Up to 24 of them. */
  int read(int count) throws RefusedException {
    need(place + count <= 8L * end, "a table is cut off");
    int value = 0;
    for (int i = 0; i < count; ++i, ++place) {
      value |= (bytes[(int) (place >> 3)] >> (place & 7) & 1) << i;
    }
    return value;
  }

  /** Whether less than a byte is left, of zeros. */
  boolean isAtEnd() throws RefusedException {
    long left = 8L * end - place;
    return left < 8 && read((int) left) == 0;
  }

  void back(int count) {
    place -= count;
  }

  /** The byte after those that were begun. */
  int at() {
    return (int) (place + 7 >> 3);
  }

  void skipTo(int at) throws RefusedException {
    need(at <= end, "a table is cut off");
    place = 8L * at;
  }
}
