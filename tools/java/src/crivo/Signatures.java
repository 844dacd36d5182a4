// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Section 1: crivo-1.md. */
final class Signatures implements RankCheck {
  private final Bytes data;
  private final int bits;
  private final long n;

  Signatures(Bytes data) throws RefusedException {
    this.data = data;
    long w = data.u32(0);
    n = data.u64(8);
    need(w == 8 || w == 16 || w == 32, "the bits of a signature");
    bits = (int) w;
    data.zero(4, 8);
    data.zero(16, 64);
    need(n >= 0 && n <= data.length() && data.length() == 64 + n * bits / 8, "the length of the signatures");
  }

  long keys() {
    return n;
  }

  @Override
  public boolean has(long rank, long hi, long lo) {
    return data.number(64 + rank * (bits / 8), bits / 8) == lo >>> 64 - bits;
  }
}
