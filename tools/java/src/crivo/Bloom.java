// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.ceilDiv;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** Sections 35 and, of counters, 36: bloom.md. */
final class Bloom implements Filter {
  private final Bytes data;
  private final long m;
  private final long n;
  private final long probes;
  private final int cellBits;
  private final int g;

  Bloom(Bytes data, boolean counting) throws RefusedException {
    this.data = data;
    m = data.u64(0);
    n = data.u64(8);
    probes = data.u32(24);
    long b = data.u32(28);
    long regions = data.u32(36);
    need(m >= 1 && m <= 1L << 56 && regions <= 36, "the cells");
    g = (int) regions;
    need(g == 0 || m % (64L << g) == 0, "the regions");
    need(data.u64(16) != 0 && probes >= 1 && probes <= 64 && data.u32(32) <= 1, "the header of a Bloom filter");
    need(counting ? b >= 1 && b <= 32 : b == 1, "the bits of a cell");
    cellBits = (int) b;
    data.zero(40, 64);
    long end = 64 + 8 * ceilDiv(m * cellBits, 64);
    need(data.length() == end + 16, "the length of a Bloom filter");
    data.zeroBits(64 * 8 + m * cellBits, end);
    long occupied = data.u64(end);
    long saturated = data.u64(end + 8);
    need(!Bits.below(m, occupied) && !Bits.below(counting ? occupied : 0, saturated), "the counts");
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    long region = m >>> g;
    long begin = Bits.first(hi, g) * region;
    long cell = mulhi(hi, m);
    for (int i = 1; ; ++i) {
      if (data.bits(64 * 8 + cell * cellBits, cellBits) == 0) {
        return false;
      }
      if (i == probes) {
        return true;
      }
      cell = begin + mulhi(lo, region);
      lo *= 0xf1357aea2e62a9c5L;
    }
  }
}
