// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Section 64, and the sealed LMDB environment that it tells of: store.md. */
final class Environment implements Records {
  private static final int BRANCH = 1;
  private static final int LEAF = 2;
  private static final int OVERFLOW = 4;
  private static final int META = 8;
  private static final int HEADER = 16; // of a page
  private static final int MOST_DEPTH = 32;
  private static final long IDENTITY = -1;

  private final Bytes data;
  private final Container index;
  private final long page;
  private final long n;
  private final long units;
  private long longestGroup;
  private final byte[] contentId;
  private final long checksum;
  private final long last; // page
  private final ByteArrayOutputStream walked = new ByteArrayOutputStream(); // pages of the structure checksum
  private long[] keys = new long[64]; // of the entries, with where their values begin, and their lengths
  private long[] values = new long[64];
  private long[] lengths = new long[64];
  private int entries;

  Environment(Bytes data, Container index) throws RefusedException {
    Bytes section = index.section(64);
    long version = section.u32(0);
    need(version >= 1, "the version of the environment");
    know(version == 1, "version " + version + " of a store");
    need(section.length() == 88, "the length of section 64");
    this.data = data;
    this.index = index;
    page = section.u32(4);
    need(page >= 512 && page <= 32_768 && Long.bitCount(page) == 1, "the page size");
    need(section.u64(8) == data.length() && data.length() % page == 0 && data.length() >= 2 * page, "the data's length");
    n = section.u64(16);
    long groups = section.u64(24);
    units = section.u64(32);
    need(n >= 0 && n == index.keys() && section.u64(48) == index.recordsSeed(), "n or the seed of the store");
    need(groups >= 0 && units >= groups && n >= units && (groups == 0) == (n == 0), "the counts of the store");
    contentId = section.slice(56, 16).copy();
    checksum = section.u64(80);
    need(Arrays.equals(contentId, index.bytes(80, 16).copy()), "the content id of the index");
    walked.writeBytes(data.slice(0, 2 * page).copy());
    long meta = Bits.below(transaction(0), transaction(page)) ? page : 0;
    last = data.u64(meta + 136);
    need(last >= 0 && last < data.length() / page && data.u16(meta + 92) == 8, "the meta page");
    int depth = data.u16(meta + 94);
    need(depth >= 1 && depth <= MOST_DEPTH, "the depth of the tree");
    walk(data.u64(meta + 128), depth);
    need(entries == groups + 1 && data.u64(meta + 120) == entries, "the number of groups");
    need(Xxh.hash64(Bytes.of(walked.toByteArray()), 0) == section.u64(72), "the structure checksum");
    need(longestGroup == section.u64(40), "the longest group");
    --entries;
    need(keys[entries] == IDENTITY && (entries == 0 || keys[entries - 1] == n - 1), "the last entries");
    checkIdentity(value(entries));
  }

  private void checkIdentity(Bytes identity) throws RefusedException {
    need(identity.length() == 40, "the length of the identity");
    byte[] magic = "CRIVOENV".getBytes(StandardCharsets.US_ASCII);
    need(Arrays.equals(identity.slice(0, 8).copy(), magic) && identity.u32(8) == 1, "the identity");
    identity.zero(12, 16);
    need(Arrays.equals(identity.slice(16, 16).copy(), contentId) && identity.u64(32) == n,
        "the identity of another store");
  }

  private long transaction(long meta) throws RefusedException {
    need(data.u16(meta + 10) == META && data.u32(meta + 16) == 0xbeefc0deL && data.u32(meta + 20) == 1
        && data.u32(meta + 40) == page, "a meta page");
    return data.u64(meta + 144);
  }

  /** Takes the entries of the tree whose root is this page. */
  private void walk(long number, int depth) throws RefusedException {
    need(number >= 2 && number <= last && walked.size() < data.length(), "the number of a page");
    long at = number * page;
    walked.writeBytes(data.slice(at, page).copy());
    need(data.u64(at) == number && data.u16(at + 10) == (depth == 1 ? LEAF : BRANCH), "the header of a page");
    int end = data.u16(at + 12);
    need(end >= HEADER && end <= page && end % 2 == 0, "the nodes of a page");
    for (long entry = at + HEADER; entry < at + end; entry += 2) {
      long node = at + data.u16(entry);
      need(node >= at + end && node <= at + page - 8, "a node");
      long low = data.u32(node);
      int flags = data.u16(node + 4);
      if (depth > 1) {
        walk(low | (long) flags << 32, depth - 1);
        continue;
      }
      need(data.u16(node + 6) == 8 && flags <= 1, "a node of a leaf");
      need(node + 16 + (flags == 1 ? 8 : low) <= at + page, "a node past its page");
      add(data.u64(node + 8), flags == 1 ? overflow(data.u64(node + 16), low) : node + 16, low);
    }
  }

  private long overflow(long first, long length) throws RefusedException {
    need(first >= 2 && first <= last && data.u16(first * page + 10) == OVERFLOW, "the page of a value");
    need((15 + length) / page <= last - first, "a value past the file");
    return first * page + HEADER;
  }

  private void add(long key, long value, long length) throws RefusedException {
    need(entries == 0 || Bits.below(keys[entries - 1], key), "the order of the keys");
    if (key != IDENTITY) {
      longestGroup = Math.max(longestGroup, length);
    }
    if (entries == keys.length) {
      keys = Arrays.copyOf(keys, 2 * entries);
      values = Arrays.copyOf(values, 2 * entries);
      lengths = Arrays.copyOf(lengths, 2 * entries);
    }
    keys[entries] = key;
    values[entries] = value;
    lengths[entries] = length;
    ++entries;
  }

  private Bytes value(int entry) {
    return data.slice(values[entry], lengths[entry]);
  }

  @Override
  public Codec.Pair pair(long rank, Codec codec) throws RefusedException {
    int found = Arrays.binarySearch(keys, 0, entries, rank);
    int entry = found >= 0 ? found : -found - 1;
    need(entry < entries, "a rank without a group");
    Group group = new Group(entry);
    long place = rank - group.first;
    need(place >= 0, "a unit of a rank");
    int unit = 0;
    while (group.counts[unit + 1] <= place) {
      ++unit;
    }
    return group.pairs(unit, codec).get((int) (place - group.counts[unit]));
  }

  /** A group of units. */
  private final class Group {
    final Bytes bytes;
    final int units;
    final int records;
    final long first; // rank
    final long begin; // of the first unit
    final int[] counts; // of the records before each unit, and of all

    Group(int entry) throws RefusedException {
      bytes = value(entry);
      units = bytes.u16(0);
      records = bytes.u16(2);
      need(units >= 1 && records >= units && records - 1 <= keys[entry], "the directory of a group");
      first = keys[entry] - records + 1;
      begin = 4 + (records > units ? 4L : 2L) * (units - 1);
      counts = new int[units + 1];
      for (int i = 1; i <= units; ++i) {
        counts[i] = i == units ? records : records > units ? bytes.u16(4 + 2L * (units + i - 2)) : i;
        need(counts[i] > counts[i - 1], "the directory of a group");
      }
    }

    /** The records of a unit. */
    List<Codec.Pair> pairs(int i, Codec codec) throws RefusedException {
      List<Codec.Pair> pairs = codec.pairs(unit(i), first + counts[i], false);
      need(pairs.size() == counts[i + 1] - counts[i], "the records of a unit");
      return pairs;
    }

    Bytes unit(int i) throws RefusedException {
      long from = begin + (i == 0 ? 0 : bytes.u16(4 + 2L * (i - 1)));
      long to = i + 1 == units ? bytes.length() : begin + bytes.u16(4 + 2L * i);
      need(from < to && to <= bytes.length(), "the directory of a group");
      return bytes.slice(from, to - from);
    }
  }

  @Override
  public void verify(Codec codec, Index store) throws RefusedException {
    need(Xxh.hash64(data, 0) == checksum, "the checksum of the data file");
    Hash128 groups = new Hash128();
    for (int entry = 0; entry < entries; ++entry) {
      groups.add(value(entry));
    }
    index.checkContentId(groups);
    long rank = 0;
    long found = 0;
    for (int entry = 0; entry < entries; ++entry) {
      Group group = new Group(entry);
      need(group.first == rank, "the ranks of a group");
      found += group.units;
      for (int i = 0; i < group.units; ++i) {
        for (Codec.Pair pair : group.pairs(i, codec)) {
          need(store.rank(pair.key()).orElse(-1) == rank++, "a key at another's rank");
        }
      }
    }
    need(rank == n && found == units, "the number of records");
  }
}
