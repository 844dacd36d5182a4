// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One list of a delta: the flips of each group (delta.md). */
final class FlipList {
  private static final int BLOCK = 16;
  private static final int MOST_CELL_BITS = 40;
  private static final int MOST_TAG_BITS = 14;
  private static final long MOST_SALT = (1L << 24) - 1;

  private final Bytes bits;
  private long at;
  private final Map<Long, Group> groups = new HashMap<>(); // by number

  private record Flip(int tagBits, long salt, long tag) {
    boolean isOf(long lo) {
      return Bits.first(lo * (Bits.mix64(salt + 1) | 1), tagBits) == tag;
    }
  }

  private record Group(int cellBits, Map<Long, List<Flip>> cells) {}

  private record Head(long number, long flips, int cellBits) {
    int rice() {
      long most = (11L << cellBits) / 16;
      int rice = 0;
      while (flips <= most >>> rice + 1) {
        ++rice;
      }
      return rice;
    }
  }

  /** `listed` groups have `flips`; `known` groups are, after it. */
  FlipList(Bytes bits, long flips, long listed, long known) throws RefusedException {
    this.bits = bits;
    List<Head> heads = heads(flips, listed, known);
    int leastTagBits = heads.isEmpty() ? 0 : (int) take(4);
    int saltRice = heads.isEmpty() ? 0 : (int) take(5);
    long done = 0;
    int tagBits = 0;
    long salt = 0;
    for (Head head : heads) {
      Group group = new Group(head.cellBits, new HashMap<>());
      int rice = head.rice();
      long cell = 0;
      for (long i = 0; i < head.flips; ++i) {
        if (done++ % BLOCK == 0) {
          tagBits = (int) Math.min(leastTagBits + zeros(), MOST_TAG_BITS + 1);
          need(tagBits <= MOST_TAG_BITS, "the bits of a tag");
          salt = rice(saltRice, MOST_SALT);
        }
        cell += rice(rice, (1L << head.cellBits) - 1 - cell);
        group.cells.computeIfAbsent(cell, some -> new ArrayList<>(1)).add(new Flip(tagBits, salt, take(tagBits)));
      }
      groups.put(head.number, group);
    }
    need(8 * bits.length() - at < 8, "bytes behind the last flip");
    bits.zeroBits(at, bits.length());
  }

  private List<Head> heads(long flips, long listed, long known) throws RefusedException {
    List<Head> heads = new ArrayList<>();
    long number = -1;
    long sum = 0;
    for (long i = 0; i < listed; ++i) {
      number += gamma();
      need(number < known, "the number of a group");
      Head head = new Head(number, gamma(), (int) take(6));
      need(head.cellBits <= MOST_CELL_BITS, "the cells of a group");
      need(head.flips <= flips - sum, "the flips of the groups");
      sum += head.flips;
      heads.add(head);
    }
    need(sum == flips, "the flips of the groups");
    return heads;
  }

  /** Reads bits; where there are too few, bytes outside are asked for. */
  private long take(int count) {
    if (at + count > 8 * bits.length()) {
      throw new IndexOutOfBoundsException("bits that end early");
    }
    at += count;
    return bits.bits(at - count, count);
  }

  private long zeros() {
    long zeros = 0;
    while (take(1) == 0) {
      ++zeros;
    }
    return zeros;
  }

  private long gamma() throws RefusedException {
    long zeros = zeros();
    need(zeros <= MOST_CELL_BITS, "a number of a group");
    return 1L << zeros | take((int) zeros);
  }

  /** A number whose `count` lowest bits are as they are, and the others as zeros before a one. */
  private long rice(int count, long most) throws RefusedException {
    long quotient = zeros();
    need(quotient <= most >>> count, "a cell or salt");
    long number = quotient << count | take(count);
    need(number <= most, "a cell or salt");
    return number;
  }

  /** Whether it holds a key an odd number of times. */
  boolean isOdd(long number, long hi, long lo) {
    Group group = groups.get(number);
    if (group == null) {
      return false;
    }
    boolean odd = false;
    for (Flip flip : group.cells.getOrDefault(Bits.first(hi, group.cellBits), List.of())) {
      odd ^= flip.isOf(lo);
    }
    return odd;
  }
}
