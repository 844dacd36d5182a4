// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Section 66: flat.md. */
final class Slots implements RankCheck {
  private static final int LINE = 14; // slots
  private static final int LINE_BYTES = 64;

  private final Bytes data;

  Slots(Bytes data, long n) throws RefusedException {
    this.data = data;
    need(n >= 0 && n <= data.length() && data.length() == LINE_BYTES * Bits.ceilDiv(n, LINE), "the length of the slots");
    for (long rank = n; rank < Bits.roundUp(n, LINE); ++rank) {
      need(begin(rank) == end(rank) && !isReference(rank) && fingerprint(rank) == 0, "a slot of no rank");
    }
  }

  private int fingerprint(long rank) {
    return data.u16(line(rank) + 36 + 2 * (rank % LINE));
  }

  @Override
  public boolean has(long rank, long hi, long lo) {
    return fingerprint(rank) == (hi & 0xffff);
  }

  private long line(long rank) {
    return rank / LINE * LINE_BYTES;
  }

  private long place(long rank) {
    return data.u64(line(rank)) & Bits.mask(50);
  }

  /** Where the entry of a rank begins in section 67. */
  long begin(long rank) {
    return place(rank) + (rank % LINE == 0 ? 0 : data.u16(line(rank) + 6 + 2 * (rank % LINE)));
  }

  long end(long rank) {
    return place(rank) + data.u16(line(rank) + 8 + 2 * (rank % LINE));
  }

  boolean isReference(long rank) {
    return (data.u64(line(rank)) >>> 50 + rank % LINE & 1) != 0;
  }
}
