// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The sections of an exact set: exact.md. */
final class Exact {
  private static final int BIT_ONLY = 0;
  private static final int INVERTED = 32; // and up to 64
  private static final int NONE = 65;
  private static final int ALL = 66;
  private static final int HEADER = 64;
  private static final long OUTSIDE = -1;

  private final Bytes groups;
  private final boolean grouped;
  private final long n;
  private final long count;
  private final Ribbon bit; // null: none
  private final Ribbon[] filters = new Ribbon[NONE];
  private final List<FlipList> lists = new ArrayList<>(); // of deltas
  private final Map<Long, Long> added = new HashMap<>(); // by deltas: numbers of groups by their hashes

  /** `filter` gives sections 32 by their tags, `bit` is section 48; null where there is none. */
  Exact(Bytes groups, Bytes bit, IntFunction<Bytes> filter) throws RefusedException {
    this.groups = groups;
    need(groups.u8(0) <= 1, "groups or none");
    groups.zero(1, 8);
    grouped = groups.u8(0) == 1;
    n = groups.u64(8);
    count = groups.u64(32);
    groups.zero(40, HEADER);
    need(count >= 0 && count <= 1L << 48 && (grouped || count == 1), "the number of groups");
    need(groups.length() == kindsAt() + count, "the length of the groups");
    this.bit = bit == null ? null : Ribbon.section(bit, false);
    need(groups.u64(24) == (bit == null ? 0 : this.bit.keys()), "the keys that have a bit");
    need(bit == null || this.bit.width == 1, "the width of a bit");
    for (long i = 0; i < count; ++i) {
      need(!grouped || i == 0 || Long.compareUnsigned(hash(i - 1), hash(i)) < 0, "groups that do not ascend");
      check(groups.u8(kindsAt() + i), filter);
    }
  }

  private void check(int kind, IntFunction<Bytes> filter) throws RefusedException {
    need(kind <= ALL, "a class of a group");
    if (kind >= NONE) {
      return;
    }
    need(bit != null, "no bit");
    if (kind != BIT_ONLY && filters[kind] == null) {
      Bytes section = filter.apply(kind);
      need(section != null, "no filter of a class");
      filters[kind] = Ribbon.section(section, true);
      need(filters[kind].width == (kind - 1) % INVERTED + 1, "the width of a filter");
    }
  }

  private long kindsAt() {
    return HEADER + (grouped ? 8 * count : 0);
  }

  private long hash(long i) {
    return groups.u64(HEADER + 8 * i);
  }

  long keys() {
    return n;
  }

  boolean isGrouped() {
    return grouped;
  }

  /** Changes it as a delta says. */
  void follow(Delta delta) throws RefusedException {
    need(delta.grouped == grouped && delta.groups == count + added.size(), "the groups of a delta");
    for (List<Long> hashes : delta.added) {
      for (long hash : hashes) {
        need(number(hash) == OUTSIDE, "a group that is added twice");
        added.put(hash, count + added.size());
      }
    }
    lists.addAll(delta.lists);
  }

  /** The number of a group by the first half of its name's hash; OUTSIDE: there is none. */
  private long number(long hash) {
    if (!grouped) {
      return 0;
    }
    long low = 0;
    long high = count;
    while (low < high) {
      long middle = low + high >>> 1;
      if (Long.compareUnsigned(hash(middle), hash) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < count && hash(low) == hash ? low : added.getOrDefault(hash, OUTSIDE);
  }

  /** Of a key by its hash, and its group's, which is not looked at in a set without groups. */
  Answer answer(KeyHash key, KeyHash group) {
    long number = number(group.hi());
    if (number == OUTSIDE) {
      return Answer.OUTSIDE;
    }
    int kind = number < count ? groups.u8(kindsAt() + number) : NONE;
    long hi = grouped ? Bits.mix64(key.hi() ^ group.hi()) : key.hi();
    long lo = grouped ? key.lo() ^ group.lo() : key.lo();
    boolean isMember = kind == ALL || kind > INVERTED && kind < NONE;
    if (kind < NONE && (kind == BIT_ONLY || filters[kind].mayContain(hi, lo))) {
      isMember = bit.value(hi, lo) == 1;
    }
    for (FlipList list : lists) {
      isMember ^= list.isOdd(number, hi, lo);
    }
    return isMember ? Answer.MEMBER : Answer.OTHER;
  }
}
