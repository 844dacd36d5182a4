// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Map;
import java.util.TreeMap;

/** Sections 107, by their first ranks, and 114: manifest.md. */
final class PartSignatures implements RankCheck {
  private final TreeMap<Long, Bytes> runs;
  private final Bytes bumped;
  private final int size; // bytes of a signature
  private final BumpedRanks ranks;

  PartSignatures(TreeMap<Long, Bytes> runs, Bytes bumped, long n) throws RefusedException {
    this.runs = runs;
    this.bumped = bumped;
    long bits = bumped.u32(0);
    need((bits == 8 || bits == 16 || bits == 32) && bumped.u64(8) == n, "the signatures of parts");
    bumped.zero(4, 8);
    size = (int) bits / 8;
    ranks = new BumpedRanks(bumped, 24, n, bumped.u64(16));
    need(bumped.length() == ranks.end() + ranks.count() * size, "the signatures of bumped keys");
    long end = 0;
    for (Map.Entry<Long, Bytes> run : runs.entrySet()) {
      need(run.getKey() == end && run.getValue().length() % size == 0, "a run of signatures");
      end += run.getValue().length() / size;
    }
    need(end <= n, "a run of signatures");
  }

  @Override
  public boolean has(long rank, long hi, long lo) {
    return signature(rank) == lo >>> 64 - 8 * size;
  }

  private long signature(long rank) {
    Map.Entry<Long, Bytes> run = runs.floorEntry(rank);
    if (run != null && rank - run.getKey() < run.getValue().length() / size) {
      long kept = run.getValue().number((rank - run.getKey()) * size, size);
      if (kept != 0) {
        return kept;
      }
    }
    long number = ranks.find(rank);
    return number < 0 ? 0 : bumped.number(ranks.end() + number * size, size);
  }
}
