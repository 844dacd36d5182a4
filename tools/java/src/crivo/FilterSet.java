// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** A filter for each of some groups, each by itself (filterset.md). */
final class FilterSet extends GroupFilters {
  private static final long ODD = 0xd1342543de82ef95L;
  private static final int RIBBON = 32;
  private static final int FUSE = 33;
  private static final int SPLIT_BLOCK = 34;
  private static final int BLOOM = 35;

  private final Bytes filters;
  private final int type;
  private final int parameter;
  private final long narrow; // the part of rows, in units of 2^-32
  private final int[] bits; // of the cells of each group
  private final int[] firstCells; // of each group
  private final long[] places; // of each cell
  private final int[] units;
  private final int[] seeds;

  FilterSet(Bytes data, Bytes filters) throws RefusedException {
    this.filters = filters;
    long kind = data.u32(0);
    long given = data.u32(4);
    narrow = data.u32(8);
    long groups = data.u64(24);
    long cells = data.u64(32);
    long nameBytes = data.u64(40);
    need(kind == RIBBON || kind == FUSE ? given >= 1 && given <= 32 : kind == SPLIT_BLOCK ? given == 0 : kind == BLOOM && given >= 1 && given <= 64,
        "the filters of a set");
    type = (int) kind;
    parameter = (int) given;
    need(type == RIBBON || narrow == 0, "narrow rows without rows");
    data.zero(12, 16);
    data.zero(48, 64);
    need(groups >= 0 && cells >= 0 && nameBytes >= 0 && Math.max(groups, cells) <= 1L << 40 && nameBytes <= 1L << 48, "the number of groups");
    long groupPlaces = 64 + 8 * ceilDiv(cells, 32);
    long entries = groupPlaces + 16 * ceilDiv(groups, 32);
    long bitsAt = entries + 3 * cells;
    long begin = bitsAt + groups;
    need(data.length() == begin + nameBytes, "the length of the groups");
    filters.zero(filters.length() - 288, filters.length());
    places = new long[(int) cells];
    units = new int[places.length];
    seeds = new int[places.length];
    bits = new int[(int) groups];
    firstCells = new int[bits.length];
    readCells(data, entries);
    readGroups(data, groupPlaces, bitsAt);
    readNames(data, groups, groupPlaces, 16, begin);
  }

  private void readCells(Bytes data, long entries) throws RefusedException {
    long place = 0;
    for (int i = 0; i < places.length; ++i) {
      need(i % 32 != 0 || data.u64(64 + i / 4) == place, "a place of cells");
      places[i] = place;
      units[i] = data.u8(entries + 3L * i) | data.u8(entries + 3L * i + 1) << 8;
      seeds[i] = data.u8(entries + 3L * i + 2);
      need(seeds[i] < (isGraph(units[i]) ? 32 : type == RIBBON || type == FUSE ? 64 : 1), "the seed of a cell");
      need(!isGraph(units[i]) || units[i] >> 12 >= 3 && units[i] % 4096 >= 4, "the graph of a cell");
      place += bytes(units[i]);
    }
    need(place == filters.length() - 288, "the length of the filters");
  }

  private void readGroups(Bytes data, long groupPlaces, long bitsAt) throws RefusedException {
    long cell = 0;
    for (int i = 0; i < bits.length; ++i) {
      need(i % 32 != 0 || data.u64(groupPlaces + i / 32 * 16 + 8) == cell, "a place of groups");
      bits[i] = data.u8(bitsAt + i);
      need(bits[i] <= 24, "the cells of a group");
      firstCells[i] = (int) cell;
      cell += 1L << bits[i];
    }
    need(cell == places.length, "the number of cells");
  }

  private static long starts(int units) {
    return Math.max(1, units - 7);
  }

  private long narrowBlocks(int units) {
    return starts(units) * narrow >>> 32;
  }

  private boolean isGraph(int units) {
    return type == FUSE && units >= 4096;
  }

  private long bytes(int units) {
    if (isGraph(units)) {
      return ((long) (units % 4096) << (units >> 12)) * parameter / 8;
    }
    return type == SPLIT_BLOCK ? 32L * units : type == BLOOM ? units
        : units == 0 ? 0 : (long) units * parameter - narrowBlocks(units);
  }

  @Override
  boolean mayContain(int group, long hi) {
    int cell = firstCells[group] + (bits[group] == 0 ? 0 : (int) (hi >>> 64 - bits[group]));
    return units[cell] != 0 && holds(cell, hi, hi << bits[group]);
  }

  private boolean holds(int cell, long hi, long high) {
    long at = places[cell];
    if (type == SPLIT_BLOCK) {
      return SplitBlock.holds(filters, at + 32 * ((high >>> 32) * units[cell] >>> 32), (int) hi);
    }
    if (type == BLOOM) {
      long low = Bits.mix64(hi);
      for (int i = 0; i < parameter; ++i) {
        long place = mulhi(i == 0 ? high : low, 8L * units[cell]);
        if ((filters.u8(at + place / 8) >> place % 8 & 1) == 0) {
          return false;
        }
        low = i == 0 ? low : low * 0xf1357aea2e62a9c5L;
      }
      return true;
    }
    long h = hi * (Bits.mix64(seeds[cell] + 0x9e3779b97f4a7c15L) | 1);
    if (isGraph(units[cell])) {
      int bits = units[cell] >> 12;
      long value = Fuse.slots(filters, 8 * at, parameter, 4, bits, mulhi(high, (long) (units[cell] % 4096 - 3) << bits), h);
      return value == (mulhi(hi, ODD) & Bits.mask(parameter));
    }
    h = (h ^ h >>> 32) * 0xd6e8feb86659fd93L;
    long start = mulhi(h, starts(units[cell]));
    long row = h * ODD | 1;
    int width = parameter - (start < narrowBlocks(units[cell]) ? 1 : 0);
    long value = 0;
    for (int column = 0; column < width; ++column) {
      int sum = 0;
      for (int i = 0; i < Math.min(8, units[cell]); ++i) {
        long block = at + (start + i) * parameter - Math.min(start + i, narrowBlocks(units[cell]));
        sum ^= filters.u8(block + column) & (int) (row >>> 8 * i);
      }
      value |= (long) (Integer.bitCount(sum & 255) & 1) << column;
    }
    return value == (mulhi(hi, ODD) & (1L << width) - 1);
  }
}
