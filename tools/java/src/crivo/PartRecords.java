// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Map;
import java.util.TreeMap;

/** The records of a store that is served in parts: sections 66, 67, 106 and 115 (manifest.md). */
final class PartRecords implements Records, RankCheck {
  private final long n;
  private final TreeMap<Long, SlottedUnits> runs = new TreeMap<>(); // by their first ranks
  private final TreeMap<Long, Bytes> notes; // of parts
  private final Bytes bumped;
  private final BumpedRanks ranks;
  private final long end; // of the ranks that parts have

  PartRecords(Served sections, long n, int parts) throws RefusedException {
    this.n = n;
    bumped = sections.section(115);
    long count = bumped.u64(8);
    end = bumped.u64(16);
    need(bumped.u64(0) == n && !Bits.below(n, end) && n - end <= count && !Bits.below(n, count), "the number of bumped keys");
    ranks = new BumpedRanks(bumped, 24, n, count);
    need(bumped.length() == ranks.end() + 16 * count, "the length of the bumped keys");
    notes = sections.byTag(106);
    need(notes.isEmpty() || notes.lastKey() < parts, "records of no part");
    TreeMap<Long, Bytes> slots = sections.byTag(66);
    TreeMap<Long, Bytes> units = sections.byTag(67);
    need(slots.keySet().equals(units.keySet()), "the sections of parts");
    need(slots.isEmpty() ? end == 0 : slots.firstKey() == 0 && slots.lastKey() < end, "the first ranks of parts");
    for (Map.Entry<Long, Bytes> some : slots.entrySet()) {
      Long next = slots.higherKey(some.getKey());
      Slots own = new Slots(some.getValue(), (next == null ? end : next) - some.getKey());
      runs.put(some.getKey(), new SlottedUnits(own, units.get(some.getKey())));
    }
  }

  /** Of the part that has a rank; null: none has. */
  private Map.Entry<Long, SlottedUnits> run(long rank) {
    return rank < end ? runs.floorEntry(rank) : null;
  }

  /** The number of the bumped key that has the rank; -1: none has. */
  private long bumpedKey(long rank, Map.Entry<Long, SlottedUnits> run) {
    return run == null || run.getValue().slots().has(rank - run.getKey(), 0, 0) ? ranks.find(rank) : -1;
  }

  @Override
  public boolean has(long rank, long hi, long lo) {
    Map.Entry<Long, SlottedUnits> run = run(rank);
    // A rank that nobody has is damage, which pair() tells.
    return run == null || bumpedKey(rank, run) >= 0 || run.getValue().slots().has(rank - run.getKey(), hi, lo);
  }

  @Override
  public Codec.Pair pair(long rank, Codec codec) throws RefusedException {
    Map.Entry<Long, SlottedUnits> run = run(rank);
    long number = bumpedKey(rank, run);
    need(run != null || number >= 0, "a rank without a record");
    return number < 0 ? run.getValue().pair(rank - run.getKey(), codec, true) : bumpedPair(number, rank);
  }

  private Codec.Pair bumpedPair(long number, long rank) throws RefusedException {
    long begin = bumped.u64(ranks.end() + 8 * number);
    Bytes own = notes.get(bumped.u32(ranks.end() + 8 * ranks.count() + 4 * number));
    need(own != null, "the notes of a part");
    Codec.Varints in = new Codec.Varints(own, begin);
    long key = in.next();
    long record = in.next();
    need(key + record <= own.length() - in.at(), "the record of a bumped key");
    Bytes raw = own.slice(begin, in.at() + key + record - begin);
    need(Crc32c.of(raw, rank) == bumped.u32(ranks.end() + 12 * ranks.count() + 4 * number), "the check of a bumped key");
    return new Codec.Pair(own.slice(in.at(), key).copy(), own.slice(in.at() + key, record).copy());
  }

  /** Asks for each key; the bytes are verified with the parts. */
  @Override
  public void verify(Codec codec, Index store) throws RefusedException {
    for (long rank = 0; rank < n; ++rank) {
      need(store.rank(pair(rank, codec).key()).orElse(-1) == rank, "a key at another's rank");
    }
  }
}
