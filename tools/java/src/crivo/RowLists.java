// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.RefusedException.need;

import java.util.HashMap;
import java.util.Map;

/** The rows of keys that stand in several (rows.md). */
final class RowLists {
  private static final int HEADER = 64;
  private static final int ALIKE = 24; // bytes of a key that shares its mark
  private static final long MOST_PLACES = 1L << 56;

  private record Hash(long hi, long lo) {}

  private final Bytes data;
  private final long n;
  private final long places;
  private final int width;
  private final int signatureBits;
  private final EliasFano lists;
  private final EliasFano buckets;
  private final long signatures;
  private final Map<Hash, Long> alike = new HashMap<>();

  RowLists(Bytes data) throws RefusedException {
    this.data = data;
    n = data.u64(0);
    places = data.u64(8);
    width = data.u8(16);
    signatureBits = data.u8(17);
    data.zero(18, HEADER);
    need(width >= 1 && width <= 56 && (signatureBits == 8 || signatureBits == 16 || signatureBits == 32), "the width of rows or signatures");
    need(!below(MOST_PLACES, places) && !below(places, n) && (n != 0 || places == 0), "the number of keys or places");
    need(places <= data.length() * 8, "the number of places");
    long at = data.packedEnd(HEADER, places * width);
    need(data.u64(at) == n, "the number of lists");
    lists = new EliasFano(data, at + 8, n, places);
    need(data.u64(lists.end()) == n, "the number of buckets");
    buckets = new EliasFano(data, lists.end() + 8, n, n + 1);
    signatures = buckets.end();
    at = data.packedEnd(signatures, n * signatureBits);
    long count = data.u64(at);
    need(!below(n, count) && data.length() == at + 8 + ALIKE * count, "the length of row lists");
    for (at += 8; at < data.length(); at += ALIKE) {
      alike.put(new Hash(data.u64(at), data.u64(at + 8)), data.u64(at + 16));
    }
  }

  long keys() {
    return n;
  }

  /** The numbers of a key's rows; none of a key that is absent. */
  long[] numbers(long hi, long lo) {
    if (n == 0) {
      return new long[0];
    }
    long bucket = Bits.mulhi(hi, n);
    long signature = Bits.first(hi * n, signatureBits);
    long last = bucket + 1 < n ? buckets.value(bucket + 1) : n;
    long found = -1;
    int count = 0;
    for (long key = buckets.value(bucket); key < last; ++key) {
      if (data.bits(signatures * 8 + key * signatureBits, signatureBits) == signature) {
        found = key;
        ++count;
      }
    }
    if (count > 1) {
      long own = alike.getOrDefault(new Hash(hi, lo), -1L);
      found = own >= buckets.value(bucket) && own < last ? own : -1;
    }
    if (found < 0) {
      return new long[0];
    }
    long begin = lists.value(found);
    long end = found + 1 < n ? lists.value(found + 1) : places;
    long[] numbers = new long[(int) Math.max(0, end - begin)];
    for (int i = 0; i < numbers.length; ++i) {
      numbers[i] = data.bits(HEADER * 8L + (begin + i) * width, width);
    }
    return numbers;
  }
}
