// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** Bloom filters of groups side by side (filterset.md, "Blocks"). */
final class FilterBlocks extends GroupFilters {
  private static final long NONE = 0xffffffffL;
  private static final long PADDING = 64;

  private final Bytes filters;
  private final int probes;
  private final long[] begins; // the byte of each group's column in its first row
  private final long[] rows;
  private final int[] widths; // bytes of a row
  private final int[] bits; // of the column in its byte

  FilterBlocks(Bytes data, Bytes filters) throws RefusedException {
    this.filters = filters;
    long given = data.u32(4);
    long groups = data.u64(24);
    long positions = data.u64(32);
    long nameBytes = data.u64(40);
    long blocks = data.u64(48);
    need(given >= 1 && given <= 64, "the probes of a set");
    probes = (int) given;
    data.zero(8, 16);
    data.zero(56, 64);
    need(groups >= 0 && blocks >= 0 && Math.max(groups, blocks) <= positions && positions < NONE && nameBytes >= 0
        && nameBytes <= 1L << 48, "the number of groups");
    long groupOf = 64 + 24 * blocks;
    long positionOf = groupOf + 4 * positions;
    long places = positionOf + 4 * groups;
    long names = places + 8 * ceilDiv(groups, 32);
    need(data.length() == names + nameBytes, "the length of the groups");
    filters.zero(filters.length() - PADDING, filters.length());
    begins = new long[(int) groups];
    rows = new long[begins.length];
    widths = new int[begins.length];
    bits = new int[begins.length];
    readBlocks(data, groupOf, positionOf, positions);
    readNames(data, groups, places, 8, names);
  }

  private void readBlocks(Bytes data, long groupOf, long positionOf, long positions) throws RefusedException {
    long place = 0;
    long position = 0;
    int found = 0;
    for (long entry = 64; entry < groupOf; entry += 24) {
      long height = data.u64(entry + 8);
      long columns = data.u32(entry + 20);
      need(columns >= 1 && columns <= 512 && height > 0 && height <= filters.length() && data.u64(entry) == place
          && data.u32(entry + 16) == position && columns <= positions - position, "a block");
      int width = (int) ceilDiv(columns, 8);
      for (int column = 0; column < columns; ++column) {
        long group = data.u32(groupOf + 4 * (position + column));
        if (group == NONE) {
          continue;
        }
        need(group < begins.length && data.u32(positionOf + 4 * group) == position + column, "a position");
        int number = (int) group;
        begins[number] = place + column / 8;
        rows[number] = height;
        widths[number] = width;
        bits[number] = column % 8;
        ++found;
      }
      place += height * width;
      need(place <= filters.length() - PADDING, "a block");
      position += columns;
    }
    need(place == filters.length() - PADDING && position == positions && found == begins.length, "the blocks");
  }

  @Override
  boolean mayContain(int group, long hi) {
    long low = Bits.mix64(hi);
    for (int i = 0; i < probes; ++i) {
      long row = mulhi(i == 0 ? hi : low, rows[group]);
      if ((filters.u8(begins[group] + row * widths[group]) >> bits[group] & 1) == 0) {
        return false;
      }
      low = i == 0 ? low : low * 0xf1357aea2e62a9c5L;
    }
    return true;
  }
}
