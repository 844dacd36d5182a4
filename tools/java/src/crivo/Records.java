// SPDX-License-Identifier: Apache-2.0
package crivo;

/** What a store keeps for each rank: {@link Environment} or {@link Flat}. */
interface Records {
  /** The key and the record of a rank below n. */
  Codec.Pair pair(long rank, Codec codec) throws RefusedException;

  /** Compares every byte and the content id, and asks `store` for each key. */
  void verify(Codec codec, Index store) throws RefusedException;
}
