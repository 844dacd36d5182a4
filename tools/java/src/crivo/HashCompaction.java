// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.Bits.below;
import static crivo.Bits.ceilDiv;
import static crivo.Bits.mask;
import static crivo.Bits.mulhi;
import static crivo.RefusedException.need;

/** Section 38: hash-compaction.md. */
final class HashCompaction implements Filter {
  private final Bytes data;
  private final int width;
  private final long n;
  private final long addresses;
  private final long slots;
  private final long reach;

  HashCompaction(Bytes data) throws RefusedException {
    this.data = data;
    width = data.u8(0);
    n = data.u64(8);
    long compressed = data.u64(16);
    addresses = data.u64(24);
    slots = data.u64(32);
    reach = data.u64(40);
    need(width >= 2 && width <= 64 && slots >= 1 && slots <= 1L << 48, "the header of a hash-compaction filter");
    need(addresses >= 1 && addresses <= slots && reach >= 0 && reach <= slots, "the addresses");
    need(!below(n, compressed) && !below(slots, compressed) && !below(mask(width), compressed)
        && (compressed == 0) == (n == 0), "the number of compressed keys");
    data.zero(1, 8);
    data.zero(48, 64);
    need(data.length() == 64 + ceilDiv(slots * width, 8) + 16, "the length of a hash-compaction filter");
    data.zeroBits(64 * 8 + slots * width, data.length());
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    long before = mulhi(hi, mask(width)); // the compressed key less 1
    long high = mulhi(before, addresses);
    long address = width == 64 ? high : high << 64 - width | before * addresses >>> width;
    for (long slot = address; slot < Math.min(address + reach, slots); ++slot) {
      long found = data.bits(64 * 8 + slot * width, width);
      if (found == before + 1) {
        return true;
      }
      if (found == 0 || below(before + 1, found)) {
        return false;
      }
    }
    return false;
  }
}
