// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.Objects;

/** Bytes of a file whose pages are compared with their sums when they are first read: DamagedException. */
final class SummedBytes extends Bytes {
  private final Bytes file;
  private final PageSums sums;
  private final long begin;

  SummedBytes(Bytes file, PageSums sums) {
    this(file, sums, 0, file.length());
  }

  private SummedBytes(Bytes file, PageSums sums, long begin, long length) {
    super(length);
    this.file = file;
    this.sums = sums;
    this.begin = begin;
  }

  @Override
  Bytes slice(long at, long size) {
    Objects.checkFromIndexSize(at, size, length());
    return new SummedBytes(file, sums, begin + at, size);
  }

  @Override
  void copyTo(byte[] into, int from) {
    sums.touch(begin, length());
    file.slice(begin, length()).copyTo(into, from);
  }

  @Override
  int byteAt(long at) {
    sums.touch(begin + at, 1);
    return file.byteAt(begin + at);
  }

  @Override
  long longAt(long at) {
    sums.touch(begin + at, 8);
    return file.longAt(begin + at);
  }
}
