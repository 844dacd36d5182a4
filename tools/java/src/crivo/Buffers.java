// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Bytes of a mapped file or of an array. */
final class Buffers extends Bytes {
  private static final int SHIFT = 30;

  private final ByteBuffer[] parts; // of 2^SHIFT bytes each but the last
  private final long begin;

  private Buffers(ByteBuffer[] parts, long begin, long length) {
    super(length);
    this.parts = parts;
    this.begin = begin;
  }

  static Bytes of(byte[] array) {
    return new Buffers(parts(array.length, (at, length) -> ByteBuffer.wrap(array, (int) at, length).slice()), 0, array.length);
  }

  static Bytes map(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(Regular.file(path), StandardOpenOption.READ)) {
      long size = file.size();
      return new Buffers(parts(size, (at, length) -> file.map(FileChannel.MapMode.READ_ONLY, at, length)), 0, size);
    }
  }

  /** What is from a place on. */
  private interface Part<E extends Exception> {
    ByteBuffer at(long at, int length) throws E;
  }

  private static <E extends Exception> ByteBuffer[] parts(long size, Part<E> part) throws E {
    ByteBuffer[] parts = new ByteBuffer[(int) Math.max(1, Bits.ceilDiv(size, 1L << SHIFT))];
    for (int i = 0; i < parts.length; ++i) {
      long at = (long) i << SHIFT;
      parts[i] = part.at(at, (int) Math.min(size - at, 1L << SHIFT)).order(ByteOrder.LITTLE_ENDIAN);
    }
    return parts;
  }

  @Override
  Bytes slice(long at, long size) {
    Objects.checkFromIndexSize(at, size, length());
    return new Buffers(parts, begin + at, size);
  }

  @Override
  void copyTo(byte[] into, int from) {
    for (int done = 0; done < length(); ) {
      long at = begin + done;
      int within = (int) (at & (1L << SHIFT) - 1);
      int size = (int) Math.min(length() - done, (1L << SHIFT) - within);
      parts[(int) (at >>> SHIFT)].get(within, into, from + done, size);
      done += size;
    }
  }

  @Override
  int byteAt(long at) {
    long place = begin + at;
    return parts[(int) (place >>> SHIFT)].get((int) (place & (1L << SHIFT) - 1)) & 0xff;
  }

  @Override
  long longAt(long at) {
    long place = begin + at;
    int within = (int) (place & (1L << SHIFT) - 1);
    return within <= (1 << SHIFT) - 8 ? parts[(int) (place >>> SHIFT)].getLong(within) : numberAt(at, 8);
  }
}
