// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sealed records of a store as its log of updates has them: store.md. They are those of the moment of opening. */
final class Updated implements Records {
  private static final int FRONT = 4096; // bytes before the first commit
  private static final int SLOT = 512; // where the second one begins
  private static final int SLOT_BYTES = 72;
  private static final int HEAD = 40; // of a commit
  private static final int RECORD = 64; // of a commit, before its runs
  private static final int RUN = 24;
  private static final int MOST_RUNS = 128;
  private static final int ENTRY = 12;
  private static final int ROW = 16;
  private static final int ADDED_ENTRY = 22;
  private static final int ADDED_ROW = 24;
  private static final int LEAST_PAGE = 341; // entries
  private static final int MOST_PAGES = 4096;
  private static final long REMOVED = 0;

  private final Records sealed;
  private final long sealedKeys;
  private final long n; // and those that were added, whose ranks follow
  private final Bytes log;
  private final Map<Long, Long> places = new HashMap<>(); // of the value of each rank that was updated
  private final Map<KeyHash, Long> ranks = new HashMap<>(); // of keys that were added
  private boolean damaged; // a slot is neither whole nor zero
  private long commit; // the last one
  private long record; // where its record begins
  private long end;

  /** `identity` is the content id of the sealed records, of which there are so many. */
  Updated(Records sealed, byte[] identity, long sealedKeys, Bytes log) throws RefusedException {
    this.sealed = sealed;
    this.sealedKeys = sealedKeys;
    this.log = log;
    readSlots(identity);
    long named = end;
    while (isWhole(end, commit + 1)) { // committed, and named by no slot
      commit = log.u64(end);
      long size = log.u64(end + 16);
      end += log.u64(end + 8);
      record = end - size;
    }
    need(!damaged || end != named || isZero(named, named + FRONT),
        "a slot, and what stands behind the last commit that the other names");
    need(log.u64(record) == commit, "the record of another commit");
    long added = log.u64(record + 24);
    need(added >= 0 && added <= log.u64(record + 8) && added <= log.length(), "the number of added keys");
    n = sealedKeys + added;
    long runs = log.u64(record + 40);
    long addedRuns = log.u64(record + 48);
    need(runs >= 0 && runs <= MOST_RUNS && addedRuns >= 0 && addedRuns <= MOST_RUNS
        && end == record + RECORD + RUN * (runs + addedRuns), "the length of a record");
    for (long i = runs + addedRuns - 1; i >= 0; --i) { // the newest comes last
      long at = record + RECORD + RUN * i;
      readRun(log.u64(at), log.u64(at + 8), log.u64(at + 16), i >= runs);
    }
    long removed = places.values().stream().filter(place -> place == REMOVED).count();
    need(places.size() == log.u64(record + 8) && removed == log.u64(record + 16), "the number of updates");
    long addedRemoved = 0;
    for (long rank = sealedKeys; rank < n; ++rank) {
      need(places.containsKey(rank), "the record of an added key");
      addedRemoved += places.get(rank) == REMOVED ? 1 : 0;
    }
    need(addedRemoved == log.u64(record + 32), "the number of added keys that are removed");
    need(ranks.size() == added && ranks.values().stream().distinct().count() == added, "the ranks of added keys");
  }

  private void readSlots(byte[] identity) throws RefusedException {
    need(log.length() >= FRONT, "the length of a log");
    byte[] magic = "CRIVOUPD".getBytes(StandardCharsets.US_ASCII);
    long check = 0;
    commit = -1;
    for (int i = 0; i < 2; ++i) {
      Bytes slot = Bytes.of(log.slice((long) SLOT * i, SLOT_BYTES).copy()); // a writer may be at it
      long number = slot.u64(32);
      boolean checked = Arrays.equals(slot.slice(0, 8).copy(), magic) && Xxh.hash64(slot.slice(0, 64), 0) == slot.u64(64);
      if (!checked || slot.u32(8) == 1 && (number < 0 || number % 2 != i)) {
        damaged |= !Arrays.equals(slot.copy(), new byte[SLOT_BYTES]);
        continue;
      }
      know(slot.u32(8) <= 1, "a later version of updates");
      need(slot.u32(8) == 1 && Arrays.equals(slot.slice(16, 16).copy(), identity), "updates of another store");
      if (number > commit) {
        commit = number;
        record = slot.u64(40);
        end = slot.u64(48);
        check = slot.u64(56);
      }
    }
    need(commit >= 0, "the slots");
    need(FRONT <= record && record <= end && end <= log.length()
        && Xxh.hash64(log.slice(record, end - record), 0) == check, "the record of a commit");
  }

  /** Whether the bytes of the log there, as far as it has them, are 0. */
  private boolean isZero(long from, long to) {
    for (long at = from; at < Math.min(to, log.length()); ++at) {
      if (log.u8(at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether a commit of this number begins there, and all of it is in the log. */
  private boolean isWhole(long begin, long number) {
    if (begin > log.length() - HEAD || log.u64(begin) != number
        || Xxh.hash64(log.slice(begin, 32), begin) != log.u64(begin + 32)) {
      return false;
    }
    long length = log.u64(begin + 8);
    long size = log.u64(begin + 16);
    return length >= HEAD && length <= log.length() - begin && size >= 0 && size <= length - HEAD
        && Xxh.hash64(log.slice(begin + HEAD, length - HEAD), 0) == log.u64(begin + 24);
  }

  /** Takes the entries of a run into `places`, or those of one of added keys into `ranks`. */
  private void readRun(long begin, long entries, long check, boolean ofAdded) throws RefusedException {
    int entryBytes = ofAdded ? ADDED_ENTRY : ENTRY;
    int rowBytes = ofAdded ? ADDED_ROW : ROW;
    need(begin >= FRONT && begin < record && entries >= 1 && entries <= (record - begin) / entryBytes, "a run's place");
    long page = LEAST_PAGE;
    while (entries / page >= MOST_PAGES) {
      page *= 2;
    }
    long pages = Bits.ceilDiv(entries, page);
    long table = begin + entryBytes * entries;
    need(rowBytes * pages <= record - table, "a run's place");
    Bytes rows = log.slice(table, rowBytes * pages);
    need(Xxh.hash64(rows, 0) == check, "the table of a run");
    long before = -1; // the rank
    KeyHash hashBefore = null;
    for (long i = 0; i < pages; ++i) {
      long from = begin + entryBytes * page * i;
      Bytes data = log.slice(from, Math.min(entryBytes * page, table - from));
      Bytes row = rows.slice(rowBytes * i, rowBytes);
      need(Xxh.hash64(data, 0) == row.u64(rowBytes - 8), "a page of a run");
      for (long at = 0; at < data.length(); at += entryBytes) {
        if (ofAdded) {
          KeyHash hash = new KeyHash(data.u64(at), data.u64(at + 8));
          long rank = data.number(at + 16, 6);
          need(at != 0 || hash.hi() == row.u64(0) && hash.lo() == row.u64(8), "the first hash of a page");
          need(hashBefore == null || isBelow(hashBefore, hash), "the hashes of a run");
          need(rank >= sealedKeys && rank < n, "an entry of a run of added keys");
          ranks.put(hash, rank);
          hashBefore = hash;
        } else {
          long rank = data.number(at, 6);
          long place = data.number(at + 6, 6);
          need(at != 0 || rank == row.u64(0), "the first rank of a page");
          need(before < rank && rank < n, "the ranks of a run");
          need(place == REMOVED || place >= FRONT && place < begin, "an entry of a run");
          places.put(rank, place);
          before = rank;
        }
      }
    }
  }

  private static boolean isBelow(KeyHash one, KeyHash other) {
    int first = Long.compareUnsigned(one.hi(), other.hi());
    return first < 0 || first == 0 && Long.compareUnsigned(one.lo(), other.lo()) < 0;
  }

  @Override
  public long addedRank(KeyHash hash) {
    return ranks.getOrDefault(hash, -1L);
  }

  @Override
  public Codec.Pair pair(long rank, Codec codec) throws RefusedException {
    Long place = places.get(rank);
    if (place == null) {
      return sealed.pair(rank, codec);
    }
    return place == REMOVED ? null : update(rank, place, codec);
  }

  private Codec.Pair update(long rank, long place, Codec codec) throws RefusedException {
    List<Codec.Pair> pairs = codec.updated(log.slice(place, log.length() - place), rank);
    need(pairs.size() == 1, "the number of records of an update");
    return pairs.get(0);
  }

  @Override
  public void verify(Codec codec, Index store) throws RefusedException {
    sealed.verify(codec, store);
    need(!damaged, "one of the two slots");
    need(isZero(SLOT_BYTES, SLOT) && isZero(SLOT + SLOT_BYTES, FRONT), "the front of a log beside its slots");
    long begin = FRONT;
    for (long number = 0; number <= commit; ++number) {
      need(isWhole(begin, number), "commit " + number);
      begin += log.u64(begin + 8);
    }
    need(begin == end, "the end of the last commit");
    for (Map.Entry<Long, Long> update : places.entrySet()) {
      if (update.getValue() != REMOVED) {
        Codec.Pair pair = update(update.getKey(), update.getValue(), codec);
        long rank = update.getKey() < sealedKeys ? store.rankOfBuild(pair.key()).orElse(-1) : store.addedRank(pair.key());
        need(rank == update.getKey(), "an update of another key");
      }
    }
  }
}
