// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Bytes of several runs, one after the other, as a manifest lays pages of its parts side by side. */
final class Joined extends Bytes {
  private final Bytes[] runs; // none is empty
  private final long[] begins;
  private final long begin;

  private Joined(Bytes[] runs, long[] begins, long begin, long length) {
    super(length);
    this.runs = runs;
    this.begins = begins;
    this.begin = begin;
  }

  /** The first `length` bytes of the runs, which have as many. */
  static Bytes of(List<Bytes> runs, long length) {
    if (runs.size() == 1) {
      return runs.get(0).slice(0, length);
    }
    long[] begins = new long[runs.size()];
    for (int i = 1; i < begins.length; ++i) {
      begins[i] = begins[i - 1] + runs.get(i - 1).length();
    }
    return new Joined(runs.toArray(Bytes[]::new), begins, 0, length);
  }

  private int runOf(long place) {
    int found = Arrays.binarySearch(begins, place);
    return found >= 0 ? found : -found - 2;
  }

  @Override
  Bytes slice(long at, long size) {
    Objects.checkFromIndexSize(at, size, length());
    return new Joined(runs, begins, begin + at, size);
  }

  @Override
  void copyTo(byte[] into, int from) {
    for (int done = 0; done < length(); ) {
      long place = begin + done;
      int run = runOf(place);
      long within = place - begins[run];
      int size = (int) Math.min(length() - done, runs[run].length() - within);
      runs[run].slice(within, size).copyTo(into, from + done);
      done += size;
    }
  }

  @Override
  int byteAt(long at) {
    int run = runOf(begin + at);
    return runs[run].byteAt(begin + at - begins[run]);
  }

  @Override
  long longAt(long at) {
    int run = runOf(begin + at);
    long within = begin + at - begins[run];
    return within <= runs[run].length() - 8 ? runs[run].longAt(within) : numberAt(at, 8);
  }
}
