// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.first;
import static crivo.Bits.mask;
import static crivo.Bits.mulhi;
import static crivo.Bits.roundUp;
import static crivo.RefusedException.need;

/** Section 39: range.md. */
final class Range implements Filter {
  static final int RUN = 4096;
  private static final int BUCKETS = 256;

  private final Bytes data;
  private final long n;
  private final long starts;
  private final int partitionBits;
  private final int lowBits;
  private final long countBytes;
  private final long table;

  Range(Bytes data) throws RefusedException {
    this.data = data;
    n = data.u64(0);
    starts = data.u64(8);
    long longest = data.u64(16);
    partitionBits = data.u8(24);
    lowBits = data.u8(25);
    need(starts >= 1 && starts <= 1L << 62 && longest >= 1 && longest <= 1L << 24, "the starts of a range filter");
    need(partitionBits <= 40 && lowBits <= 56, "the header of a range filter");
    data.zero(26, 64);
    long words = data.length() / 8;
    long groups = (starts + RUN - 2 >>> lowBits) / BUCKETS + 1;
    need(groups <= words && 1L << partitionBits <= words && data.length() % 8 == 0, "the length of a range filter");
    countBytes = roundUp(4 * (groups + 1), 8);
    long least = countBytes + groups * BUCKETS / 8;
    table = data.length() - (8L << partitionBits);
    need(table >= 64 && least <= table - 64 >>> partitionBits, "the length of a range filter");
    long at = 64;
    for (long p = 0; p < 1L << partitionBits; ++p) {
      long begin = data.u64(table + 8 * p);
      need(begin >= at && begin <= table - least && begin % 8 == 0, "where a partition begins");
      at = begin + least;
    }
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    return mayContain(hi, lo, lo);
  }

  /** Whether one of the numbers of a run from `from` to `to` may be a key; `hi` is the run's hash. */
  boolean mayContain(long hi, long from, long to) {
    long p = first(hi, partitionBits);
    long begin = data.u64(table + 8 * p);
    long end = p + 1 < 1L << partitionBits ? data.u64(table + 8 * (p + 1)) : table;
    long start = mulhi(hi << partitionBits, starts);
    long least = start + (from & RUN - 1);
    long most = start + (to & RUN - 1);
    long firstBucket = least >>> lowBits;
    long lastBucket = most >>> lowBits;
    for (long i = firstBucket / BUCKETS; i <= lastBucket / BUCKETS; ++i) {
      long before = data.u32(begin + 4 * i);
      long after = data.u32(begin + 4 * (i + 1));
      if (before > after || BUCKETS * (i + 1) + after * (1 + lowBits) > 8 * (end - begin - countBytes)) {
        return true;
      }
      if (before == after) {
        continue;
      }
      Group group = new Group(8 * (begin + countBytes) + BUCKETS * i + before * (1 + lowBits), after - before);
      if (firstBucket == lastBucket) {
        return group.anyLow(firstBucket % BUCKETS, least & mask(lowBits), most & mask(lowBits));
      }
      long next = 0; // the keys of the buckets between
      long last = group.size;
      if (i == firstBucket / BUCKETS) {
        next = group.end(firstBucket % BUCKETS);
        if (group.begin(firstBucket % BUCKETS) < next && group.low(next - 1) >= (least & mask(lowBits))) {
          return true;
        }
      }
      if (i == lastBucket / BUCKETS) {
        last = group.begin(lastBucket % BUCKETS);
        if (last < group.end(lastBucket % BUCKETS) && group.low(last) <= (most & mask(lowBits))) {
          return true;
        }
      }
      if (next < last) {
        return true;
      }
    }
    return false;
  }

  /** The keys of some buckets, by their numbers; `at` is where their bits begin. */
  private final class Group {
    private final long at;
    private final long size;
    private final long bits;

    Group(long at, long size) {
      this.at = at;
      this.size = size;
      bits = BUCKETS + size;
    }

    /** The place of the next zero from `place` on. */
    private long zero(long place) {
      while (place < bits && data.bits(at + place, 1) != 0) {
        ++place;
      }
      return place;
    }

    private long place(long bucket) {
      long place = 0;
      for (long i = 0; i < bucket; ++i) {
        place = Math.min(zero(place) + 1, bits + 1);
      }
      return place;
    }

    long begin(long bucket) {
      return Math.min(size, Math.max(0, place(bucket) - bucket));
    }

    long end(long bucket) {
      long place = place(bucket);
      return Math.min(size, begin(bucket) + Math.max(0, zero(place) - place));
    }

    long low(long key) {
      return data.bits(at + bits + key * lowBits, lowBits);
    }

    /** Whether one of the low bits of a bucket, which ascend, is from `least` to `most`. */
    boolean anyLow(long bucket, long least, long most) {
      long next = begin(bucket);
      long last = end(bucket);
      while (last - next > 8) {
        long middle = next + (last - next) / 2;
        if (low(middle) < least) {
          next = middle + 1;
        } else {
          last = middle + 1;
        }
      }
      for (; next < last; ++next) {
        if (low(next) >= least) {
          return low(next) <= most;
        }
      }
      return false;
    }
  }
}
