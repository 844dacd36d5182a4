// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.List;

/** Section 120: the lists of a delta, and what it follows (delta.md). */
final class Delta {
  private static final int DIGEST = 32;
  private static final int HEADER = 96;
  private static final int HEAD = 48;
  private static final long MOST_LISTS = 1 << 20;
  private static final long MOST_GROUPS = 1L << 32;
  private static final long MOST_FLIPS = (1L << 32) - 2;

  final Bytes base;
  final Bytes before;
  final long number;
  final boolean grouped;
  final boolean ofFilter;
  final long groups; // known before it
  final long groupsAfter;
  final long flips;
  final List<Long> members = new ArrayList<>(); // after each list
  final List<List<Long>> added = new ArrayList<>(); // by each list, the hashes of groups
  final List<FlipList> lists = new ArrayList<>();
  private final List<Bytes> joined = new ArrayList<>();

  Delta(Bytes data) throws RefusedException {
    base = data.slice(0, DIGEST);
    before = data.slice(DIGEST, DIGEST);
    number = data.u64(64);
    long count = data.u64(72);
    need(data.u8(80) <= 2, "groups or none");
    grouped = data.u8(80) == 1;
    ofFilter = data.u8(80) == 2;
    data.zero(81, 88);
    groups = data.u64(88);
    need(groups >= 0 && groups <= MOST_GROUPS && (grouped || groups == 1), "groups or none");
    need(count >= 1 && count <= Math.min(MOST_LISTS, data.length() / HEAD), "the number of lists");
    need(number != 0 && Long.compareUnsigned(number, -1 - count) <= 0, "the number of the delta");
    long at = HEADER;
    for (long i = 0; count > 1 && i < count; ++i, at += DIGEST) {
      joined.add(data.slice(at, DIGEST));
    }
    long body = at + HEAD * count;
    long sum = 0;
    long known = groups;
    for (long i = 0; i < count; ++i, at += HEAD) {
      long listFlips = data.u64(at);
      long listed = data.u64(at + 24);
      long addedGroups = data.u64(at + 32);
      long size = data.u64(at + 40);
      need(Bits.below(addedGroups, data.length() / 8 + 1) && Bits.below(size, data.length() + 1), "a list's length");
      need(Bits.below(listFlips, 8 * size + 1) && Bits.below(listed, size + 1), "more flips than bits");
      need((listFlips == 0) == (listed == 0), "flips without a group");
      need(grouped || addedGroups == 0 && listed <= 1, "groups where there are none");
      need(!ofFilter || size == 0 && data.u64(at + 16) == 0, "flips of a filter");
      members.add(data.u64(at + 8));
      added.add(hashes(data.slice(body, 8 * addedGroups)));
      body += 8 * addedGroups;
      known += addedGroups;
      lists.add(new FlipList(data.slice(body, size), listFlips, listed, known));
      body += size;
      sum += listFlips;
    }
    need(body == data.length(), "the length of the flips");
    need(known <= MOST_GROUPS && sum <= MOST_FLIPS, "the number of flips or groups");
    groupsAfter = known;
    flips = sum;
  }

  private static List<Long> hashes(Bytes data) throws RefusedException {
    List<Long> hashes = new ArrayList<>();
    for (long at = 0; at < data.length(); at += 8) {
      need(at == 0 || Bits.below(data.u64(at - 8), data.u64(at)), "added groups that do not ascend");
      hashes.add(data.u64(at));
    }
    return hashes;
  }

  /** The state after the delta whose file has that digest. */
  byte[] after(byte[] digest) {
    Bytes state = before;
    for (Bytes one : joined.isEmpty() ? List.of(Bytes.of(digest)) : joined) {
      state = Bytes.of(HashTree.sha256(state, one));
    }
    return state.copy();
  }
}
