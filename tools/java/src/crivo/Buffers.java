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
    ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    return new Buffers(new ByteBuffer[] {buffer}, 0, array.length);
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
      return new Buffers(parts, 0, size);
    }
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
