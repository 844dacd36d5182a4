// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mix64;
import static crivo.Bits.roundUp;
import static crivo.RefusedException.need;

/** Section 49: coded.md. */
final class Coded implements StaticFunction {
  private static final int ENTRY = 24;
  private static final long NO_ESCAPE = 0xffffffffL;
  private static final int LONGEST = 30;
  private static final int MOST_SLICE_BITS = 16;
  private static final int MOST_PARTITION_BITS = 28; // of so many partitions this reader keeps where each begins

  private final long n;
  private final int width;
  private final int g;
  private final Level[] levels;
  private final Ribbon[] plain; // of each partition, if the last level is plain

  Coded(Bytes data) throws RefusedException {
    n = data.u64(0);
    width = data.u8(16);
    int count = data.u8(17);
    g = data.u8(18);
    need(Bits.below(data.u64(8), 1L << 38) && width <= 64 && g <= 32, "the header of a coded section");
    need(n == 0 ? count == 0 : count >= 1 && count <= 32, "the number of levels");
    data.zero(19, 32);
    long entries = data.length() - (long) ENTRY * count;
    need(entries >= 32 && entries % 8 == 0, "no room for the levels");
    if (g > MOST_PARTITION_BITS - MOST_SLICE_BITS) {
      throw new RefusedException(RefusedException.Why.UNSUPPORTED, "more partitions than this reader has room for");
    }
    boolean isPlain = count > 0 && data.u8(entries + (long) ENTRY * (count - 1)) == 1;
    int size = 0;
    for (int i = 0; i < count; ++i) {
      Bytes entry = data.slice(entries + (long) ENTRY * i, ENTRY);
      for (int shape : new int[] {1, 4}) {
        need(entry.u8(shape + 1) <= MOST_SLICE_BITS, "the shape of a ribbon");
        size += entry.u8(shape) == 0 ? 0 : 16 << entry.u8(shape + 1);
      }
    }
    int partitions = size == 0 && !isPlain ? 0 : 1 << g;
    size += isPlain ? 24 : 8;
    int unit = isPlain ? 64 : 8;
    long table = entries - (long) size * partitions;
    need(table >= 32, "no room for the table of partitions");
    levels = new Level[count];
    long at = 32;
    long inEntry = table + (isPlain ? 24 : 8);
    for (int i = 0; i < count; ++i) {
      Bytes entry = data.slice(entries + (long) ENTRY * i, ENTRY);
      need(entry.u8(7) == 0, "the kind of a level");
      need(entry.u8(0) == (isPlain && i == count - 1 ? 1 : 2), "the kind of a level");
      need((entry.u32(12) == NO_ESCAPE) == (i == count - 1), "the escape of the last level alone");
      if (entry.u8(0) == 1) {
        entry.zero(1, 12);
        entry.zero(16, 24);
        continue;
      }
      BitRibbon filter = null;
      if (entry.number(1, 3) != 0) {
        filter = new BitRibbon(data, entry.slice(1, 3), inEntry, size, partitions);
        inEntry += 16L << entry.u8(2);
      }
      BitRibbon ribbon = null;
      if (entry.number(4, 3) != 0) {
        ribbon = new BitRibbon(data, entry.slice(4, 3), inEntry, size, partitions);
        inEntry += 16L << entry.u8(5);
      }
      levels[i] = new Level(data.slice(at, table - at), entry, width, i, filter, ribbon);
      at += levels[i].codeBytes;
    }
    need(roundUp(at, unit) <= table, "no room for the table of partitions");
    data.zero(at, roundUp(at, unit));
    at = roundUp(at, unit);
    plain = new Ribbon[isPlain ? partitions : 0];
    for (int p = 0; p < partitions; ++p) {
      long begin = data.u64(table + (long) size * p);
      need(begin >= at && begin <= table && begin % unit == 0, "where a partition begins");
      at = begin;
      if (isPlain) {
        long bytes = data.u64(table + (long) size * p + 8);
        need(bytes >= 0 && bytes <= table - begin, "a partition is cut off");
        plain[p] = Ribbon.section(data.slice(begin, bytes), false);
        need(plain[p].width == width, "the width of a plain level");
        at = roundUp(begin + bytes, 8);
      }
      begin = at;
      for (Level level : levels) {
        if (level != null && level.filter != null) {
          at = level.filter.add(p, at);
        }
        if (level != null && level.ribbon != null) {
          at = level.ribbon.add(p, at);
        }
      }
      need(!isPlain || at - begin == data.u64(table + (long) size * p + 16), "the length of a partition");
      at = roundUp(at, unit);
      need(at <= table, "a partition is cut off");
    }
    need(table == at, "the length of a coded section");
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public long value(long hash, long lo) {
    int p = (int) Bits.first(hash, g);
    long hi = hash << g;
    for (Level level : levels) {
      if (level == null) {
        return plain[p].value(hi, lo);
      }
      if (level.filter != null && !level.isFiltered(p, hi, lo)) {
        return level.dominant & mask(width);
      }
      int index = level.codeword(level.ribbon == null ? 0 : level.ribbon.read(p, hi, lo));
      if (index != level.escape) {
        return level.value(index) & mask(width);
      }
    }
    return 0;
  }

  /** A coded level; a plain one is null. */
  private static final class Level {
    final int number;
    final long escape;
    final long dominant;
    final BitRibbon filter;
    final BitRibbon ribbon;
    final long[] counts; // of codewords, by length
    final Bytes values;
    final int valueBytes;
    final long codeBytes; // of lengths and values

    /** Its code is at the beginning of `data`. */
    Level(Bytes data, Bytes entry, int width, int number, BitRibbon filter, BitRibbon ribbon) throws RefusedException {
      this.number = number;
      this.filter = filter;
      this.ribbon = ribbon;
      final long count = entry.u32(8);
      escape = entry.u32(12);
      dominant = entry.u64(16);
      need(count >= 1 && count <= 65_537 && (escape < count || escape == NO_ESCAPE), "the number of codewords");
      need(filter != null || dominant == 0, "a filter without a shape");
      int longest = entry.u8(4);
      need(longest <= LONGEST, "a codeword is too long");
      counts = new long[longest + 1];
      long all = 0;
      long share = 0;
      for (int length = 0; length <= longest; ++length) {
        counts[length] = data.u32(4L * length);
        all += counts[length];
        share += counts[length] << longest - length;
      }
      need(all == count && share == 1L << longest && counts[longest] > 0, "the code is not complete");
      valueBytes = (int) ceilDiv(width, 8);
      values = data.slice(4L * (longest + 1), count * valueBytes);
      long valuesEnd = 4L * (longest + 1) + count * valueBytes;
      codeBytes = roundUp(valuesEnd, 8);
      data.zero(valuesEnd, codeBytes);
    }

    boolean isFiltered(int p, long hi, long lo) {
      long top = mix64(lo ^ (number + 1) * 0x9e6c63d0876a9a47L);
      return filter.read(p, hi, lo) == top >>> 64 - filter.longest();
    }

    /** The number of the codeword with which the bits begin. */
    int codeword(long bits) {
      long first = 0; // codeword of its length
      long code = 0;
      long before = 0;
      for (int length = 0; length < counts.length; ++length) {
        if (code - first < counts[length]) {
          return (int) (before + code - first);
        }
        before += counts[length];
        first = first + counts[length] << 1;
        code = code << 1 | bits >>> length & 1;
      }
      throw new AssertionError("the code is complete");
    }

    long value(int index) {
      return values.number((long) index * valueBytes, valueBytes);
    }
  }
}
