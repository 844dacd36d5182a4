// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Section 34: split-block-bloom.md. */
final class SplitBlock implements Filter {
  private static final int[] SALT = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
  };

  private final Bytes data;
  private final long n;
  private final long blocks;

  SplitBlock(Bytes data) throws RefusedException {
    this.data = data;
    n = data.u64(0);
    blocks = data.u64(8);
    need(blocks >= 1 && blocks <= 1L << 31, "the number of blocks");
    data.zero(16, 64);
    need(data.length() == 64 + 32 * blocks + 8, "the length of a split-block Bloom filter");
    need((data.u64(data.length() - 8) == 0) == (n == 0), "the rate");
  }

  @Override
  public long keys() {
    return n;
  }

  @Override
  public boolean mayContain(long h, long lo) {
    return holds(data, 64 + 32 * ((h >>> 32) * blocks >>> 32), (int) h);
  }

  /** Whether the block there has the bits of a hash that ends so. */
  static boolean holds(Bytes data, long block, int low) {
    for (int i = 0; i < SALT.length; ++i) {
      if ((data.u32(block + 4L * i) >>> (low * SALT[i] >>> 27) & 1) == 0) {
        return false;
      }
    }
    return true;
  }
}
