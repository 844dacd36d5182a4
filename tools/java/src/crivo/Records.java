// SPDX-License-Identifier: Apache-2.0
package crivo;

/** What a store keeps for each rank: {@link Environment}, which may be {@link Updated}, or {@link Flat}. */
interface Records {
  /** The key and the record of a rank below n; null where the record was removed. */
  Codec.Pair pair(long rank, Codec codec) throws RefusedException;

  /** The rank of a key with this hash that the build did not have, or -1. */
  default long addedRank(KeyHash hash) {
    return -1;
  }

  /** Compares every byte and the content id, and asks `store` for each key. */
  void verify(Codec codec, Index store) throws RefusedException;
}
