// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * A run of bytes, of a mapped file of any length or of an array. Nothing outside it is read: IndexOutOfBoundsException,
 * which whoever opens a file takes for damage.
 */
final class Bytes {
  private static final int SHIFT = 30;

  private final ByteBuffer[] parts; // of 2^SHIFT bytes each but the last
  private final long begin;
  private final long length;

  private Bytes(ByteBuffer[] parts, long begin, long length) {
    this.parts = parts;
    this.begin = begin;
    this.length = length;
  }

  static Bytes of(byte[] array) {
    ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    return new Bytes(new ByteBuffer[] {buffer}, 0, array.length);
  }

  static Bytes map(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      long size = file.size();
      ByteBuffer[] parts = new ByteBuffer[(int) Math.max(1, Bits.ceilDiv(size, 1L << SHIFT))];
      for (int i = 0; i < parts.length; ++i) {
        long at = (long) i << SHIFT;
        long length = Math.min(size - at, 1L << SHIFT);
        parts[i] = file.map(FileChannel.MapMode.READ_ONLY, at, length).order(ByteOrder.LITTLE_ENDIAN);
      }
      return new Bytes(parts, 0, size);
    }
  }

  long length() {
    return length;
  }

  Bytes slice(long at, long size) {
    Objects.checkFromIndexSize(at, size, length);
    return new Bytes(parts, begin + at, size);
  }

  byte[] copy() {
    byte[] copy = new byte[Math.toIntExact(length)];
    copyTo(copy, 0);
    return copy;
  }

  void copyTo(byte[] into, int from) {
    for (int done = 0; done < length; ) {
      long at = begin + done;
      int within = (int) (at & (1L << SHIFT) - 1);
      int size = (int) Math.min(length - done, (1L << SHIFT) - within);
      parts[(int) (at >>> SHIFT)].get(within, into, from + done, size);
      done += size;
    }
  }

  int u8(long at) {
    Objects.checkIndex(at, length);
    return byteAt(begin + at);
  }

  int u16(long at) {
    return (int) number(at, 2);
  }

  long u32(long at) {
    return number(at, 4);
  }

  long u64(long at) {
    Objects.checkFromIndexSize(at, 8, length);
    long place = begin + at;
    int within = (int) (place & (1L << SHIFT) - 1);
    return within <= (1 << SHIFT) - 8 ? parts[(int) (place >>> SHIFT)].getLong(within) : number(at, 8);
  }

  /** The little-endian number of up to eight bytes. */
  long number(long at, int size) {
    Objects.checkFromIndexSize(at, size, length);
    long value = 0;
    for (int i = size - 1; i >= 0; --i) {
      value = value << 8 | byteAt(begin + at + i);
    }
    return value;
  }

  /** Up to 64 bits from bit `at` on, where bit b is bit b % 8 of byte b / 8; 0 past the end. */
  long bits(long at, int count) {
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
  void zero(long from, long to) throws RefusedException {
    need(from <= to && to <= length, "reserved bytes are cut off");
    for (long at = from; at < to; ++at) {
      need(u8(at) == 0, "reserved bytes are not zero");
    }
  }

  /** Reserved bits, from bit `from` up to byte `to`. */
  void zeroBits(long from, long to) throws RefusedException {
    int rest = (int) (-from & 7);
    need(bits(from, rest) == 0, "padding is not zero");
    zero((from + rest) / 8, to);
  }

  private int byteAt(long place) {
    return parts[(int) (place >>> SHIFT)].get((int) (place & (1L << SHIFT) - 1)) & 0xff;
  }
}
