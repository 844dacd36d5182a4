// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** Which rows are in which file (rows.md). */
final class RowFiles {
  private static final int HEADER = 64;

  private final Bytes data;
  private final long files;
  private final long rows;
  private final long groups;
  private final boolean hasGroups;
  private final long nameEnds;
  private final long groupEnds;
  private final long groupBegins;
  private final long names;

  RowFiles(Bytes data) throws RefusedException {
    this.data = data;
    need(data.u8(0) <= 1, "row files");
    for (int i = 1; i < HEADER; ++i) {
      need(i >= 8 && i < 40 || data.u8(i) == 0, "reserved bytes of row files");
    }
    hasGroups = data.u8(0) == 1;
    files = data.u64(8);
    rows = data.u64(16);
    groups = data.u64(24);
    need(files >= 0 && files <= 1L << 32 && groups >= 0 && groups <= (hasGroups ? 1L << 40 : 0), "the number of files or row groups");
    nameEnds = HEADER + 8 * files;
    groupEnds = nameEnds + 8 * files;
    groupBegins = groupEnds + (hasGroups ? 8 * files : 0);
    names = groupBegins + 8 * groups;
    need(names <= data.length() && names + end(nameEnds, files - 1) == data.length(), "row files");
    need(files != 0 || rows == 0, "rows of no file");
    for (long i = 0; i < files; ++i) {
      check(i);
    }
    need(end(groupEnds, hasGroups ? files - 1 : -1) == groups, "row groups of no file");
  }

  private void check(long file) throws RefusedException {
    long first = data.u64(HEADER + 8 * file);
    long end = file + 1 < files ? data.u64(HEADER + 8 * (file + 1)) : rows;
    need((file != 0 || first == 0) && !Bits.below(end, first) && !Bits.below(rows, end), "the rows of files");
    long nameEnd = end(nameEnds, file);
    need(nameEnd > end(nameEnds, file - 1) && nameEnd <= data.length() - names, "the names of files");
    need(file == 0 || Arrays.compareUnsigned(name(file - 1), name(file)) < 0, "the order of files");
    if (!hasGroups) {
      return;
    }
    long group = end(groupEnds, file - 1);
    long last = end(groupEnds, file);
    need(last >= group && last <= groups && (last > group || first == end), "the row groups of files");
    long before = first;
    for (long i = group; i < last; ++i) {
      long begin = data.u64(groupBegins + 8 * i);
      need(!Bits.below(begin, before) && !Bits.below(end, begin) && (i != group || begin == first), "the row groups of files");
      before = begin;
    }
  }

  /** The end of an entry of a list of ends; 0 before the first. */
  private long end(long list, long index) {
    return index < 0 ? 0 : data.u64(list + 8 * index);
  }

  private byte[] name(long file) {
    long begin = end(nameEnds, file - 1);
    return data.slice(names + begin, end(nameEnds, file) - begin).copy();
  }

  /** The last entry of [low, high) of a list that ascends that is not above `number`; the first is not. */
  private long last(long list, long low, long high, long number) {
    long least = low;
    long most = high;
    while (most - least > 1) {
      long middle = least + (most - least) / 2;
      if (Bits.below(number, data.u64(list + 8 * middle))) {
        most = middle;
      } else {
        least = middle;
      }
    }
    return least;
  }

  long count() {
    return files;
  }

  /** The number of the file that has a row of all files; nothing for a number that is none. */
  OptionalLong fileOf(long number) {
    return Bits.below(number, rows) ? OptionalLong.of(last(HEADER, 0, files, number)) : OptionalLong.empty();
  }

  /** The place of a row of all files; nothing for a number that is none. */
  Optional<Row> place(long number) {
    if (!Bits.below(number, rows)) {
      return Optional.empty();
    }
    long file = last(HEADER, 0, files, number);
    OptionalLong group = OptionalLong.empty();
    if (hasGroups) {
      long first = end(groupEnds, file - 1);
      group = OptionalLong.of(last(groupBegins, first, end(groupEnds, file), number) - first);
    }
    return Optional.of(new Row(name(file), group, number - data.u64(HEADER + 8 * file)));
  }
}
