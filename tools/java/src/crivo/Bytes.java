// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A run of bytes, of a mapped file of any length, of an array, or of several of these. Nothing outside it is read:
 * IndexOutOfBoundsException, which whoever opens a file takes for damage.
 */
abstract class Bytes {
  private final long length;

  Bytes(long length) {
    this.length = length;
  }

  static Bytes of(byte[] array) {
    return Buffers.of(array);
  }

  static Bytes map(Path path) throws IOException {
    return Buffers.map(path);
  }

  /** The byte at a place that is in the run. */
  abstract int byteAt(long at);

  /** The eight bytes from a place on, all in the run. */
  abstract long longAt(long at);

  abstract Bytes slice(long at, long size);

  abstract void copyTo(byte[] into, int from);

  final long length() {
    return length;
  }

  final byte[] copy() {
    byte[] copy = new byte[Math.toIntExact(length)];
    copyTo(copy, 0);
    return copy;
  }

  final int u8(long at) {
    Objects.checkIndex(at, length);
    return byteAt(at);
  }

  final int u16(long at) {
    return (int) number(at, 2);
  }

  final long u32(long at) {
    return number(at, 4);
  }

  final long u64(long at) {
    Objects.checkFromIndexSize(at, 8, length);
    return longAt(at);
  }

  /** The little-endian number of up to eight bytes. */
  final long number(long at, int size) {
    Objects.checkFromIndexSize(at, size, length);
    return numberAt(at, size);
  }

  final long numberAt(long at, int size) {
    long value = 0;
    for (int i = size - 1; i >= 0; --i) {
      value = value << 8 | byteAt(at + i);
    }
    return value;
  }

  /** Up to 64 bits from bit `at` on, where bit b is bit b % 8 of byte b / 8; 0 past the end. */
  final long bits(long at, int count) {
    long first = at >>> 3;
    int shift = (int) (at & 7);
    long value = padded(first) >>> shift;
    if (shift + count > 64 && first + 8 < length) {
      value |= (long) u8(first + 8) << 64 - shift;
    }
    return value & Bits.mask(count);
  }

  private long padded(long at) {
    if (at + 8 <= length) {
      return u64(at);
    }
    return at < length ? number(at, (int) (length - at)) : 0;
  }

  /** Reserved bytes. */
  final void zero(long from, long to) throws RefusedException {
    need(from <= to && to <= length, "reserved bytes are cut off");
    for (long at = from; at < to; ++at) {
      need(u8(at) == 0, "reserved bytes are not zero");
    }
  }

  /** Where a packed array of so many bits ends, whose padding is zero. */
  final long packedEnd(long at, long bits) throws RefusedException {
    long bytes = Bits.ceilDiv(bits, 8);
    long end = at + Bits.roundUp(bytes + 7, 8);
    zero(at + bytes, end);
    return end;
  }

  /** Reserved bits, from bit `from` up to byte `to`. */
  final void zeroBits(long from, long to) throws RefusedException {
    int rest = (int) (-from & 7);
    need(bits(from, rest) == 0, "padding is not zero");
    zero((from + rest) / 8, to);
  }
}
