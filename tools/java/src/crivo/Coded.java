package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mix64;
import static crivo.Bits.roundUp;
import static crivo.RefusedException.need;

/** Section 49: coded.md. */
final class Coded implements StaticFunction {
  private static final int ENTRY = 40;
  private static final long NO_ESCAPE = 0xffffffffL;
  private static final int LONGEST = 30;

  private final long n;
  private final int width;
  private final Level[] levels;

  Coded(Bytes data) throws RefusedException {
    n = data.u64(0);
    width = data.u8(16);
    int count = data.u8(17);
    need(Bits.below(data.u64(8), 1L << 38) && width <= 64, "the header of a coded section");
    need(n == 0 ? count == 0 : count >= 1 && count <= 32, "the number of levels");
    data.zero(18, 32);
    long entries = data.length() - (long) ENTRY * count;
    need(entries >= 32 && entries % 8 == 0, "no room for the levels");
    levels = new Level[count];
    long at = 32;
    for (int i = 0; i < count; ++i) {
      Bytes entry = data.slice(entries + (long) ENTRY * i, ENTRY);
      int kind = entry.u8(0);
      need((kind == 1 || kind == 2) && entry.u8(7) == 0, "the kind of a level");
      need((entry.u32(12) == NO_ESCAPE) == (i == count - 1), "the escape of the last level alone");
      long begin = roundUp(at, kind == 1 ? 64 : 8);
      data.zero(at, begin);
      long bytes = entry.u64(24);
      long more = entry.u64(32);
      need(bytes >= 0 && more >= 0 && bytes <= entries - begin && more <= entries - begin - bytes, "a level is cut off");
      at = begin + bytes + more;
      Bytes part = data.slice(begin, at - begin);
      if (kind == 1) {
        entry.zero(1, 12);
        entry.zero(16, 32);
        Ribbon plain = Ribbon.section(part, 8);
        need(plain.width == width, "the width of a plain level");
        levels[i] = new Level(plain);
      } else {
        levels[i] = new Level(part, entry, width, i);
      }
    }
    need(entries == roundUp(at, 8), "the length of a coded section");
    data.zero(at, entries);
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public long value(long hi, long lo) {
    for (Level level : levels) {
      if (level.plain != null) {
        return level.plain.value(hi, lo);
      }
      if (level.filter != null && !level.isFiltered(hi, lo)) {
        return level.dominant & mask(width);
      }
      int index = level.codeword(level.ribbon == null ? 0 : level.ribbon.read(hi, lo));
      if (index != level.escape) {
        return level.value(index) & mask(width);
      }
    }
    return 0;
  }

  private static final class Level {
    final StaticFunction plain; // null: coded
    final int number;
    final long escape;
    final long dominant;
    final BitRibbon filter;
    final BitRibbon ribbon;
    final long[] counts; // of codewords, by length
    final Bytes values;
    final int valueBytes;

    Level(StaticFunction plain) {
      this.plain = plain;
      number = 0;
      escape = 0;
      dominant = 0;
      filter = null;
      ribbon = null;
      counts = null;
      values = null;
      valueBytes = 0;
    }

    Level(Bytes data, Bytes entry, int width, int number) throws RefusedException {
      plain = null;
      this.number = number;
      final long count = entry.u32(8);
      escape = entry.u32(12);
      dominant = entry.u64(16);
      final long filterBytes = entry.u64(24);
      need(count >= 1 && count <= 65_537 && (escape < count || escape == NO_ESCAPE), "the number of codewords");
      if (entry.number(1, 3) != 0) {
        filter = new BitRibbon(data.slice(0, filterBytes), entry.slice(1, 3));
      } else {
        need(filterBytes == 0 && dominant == 0, "a filter without a shape");
        filter = null;
      }
      Bytes body = data.slice(filterBytes, data.length() - filterBytes);
      int longest = entry.u8(4);
      need(longest <= LONGEST, "a codeword is too long");
      counts = new long[longest + 1];
      long all = 0;
      long share = 0;
      for (int length = 0; length <= longest; ++length) {
        counts[length] = body.u32(4L * length);
        all += counts[length];
        share += counts[length] << longest - length;
      }
      need(all == count && share == 1L << longest && counts[longest] > 0, "the code is not complete");
      valueBytes = (int) ceilDiv(width, 8);
      values = body.slice(4L * (longest + 1), count * valueBytes);
      long valuesEnd = 4L * (longest + 1) + count * valueBytes;
      long after = roundUp(valuesEnd, 8);
      body.zero(valuesEnd, after);
      if (longest > 0) {
        ribbon = new BitRibbon(body.slice(after, body.length() - after), entry.slice(4, 3));
      } else {
        need(entry.number(4, 3) == 0 && after == body.length(), "a code of one codeword");
        ribbon = null;
      }
    }

    boolean isFiltered(long hi, long lo) {
      long top = mix64(lo ^ (number + 1) * 0x9e6c63d0876a9a47L);
      return filter.read(hi, lo) == top >>> 64 - filter.longest();
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
