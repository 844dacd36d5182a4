// SPDX-License-Identifier: Apache-2.0
package crivo;

/** Shows for most keys which are not in the set that they have not the rank which the function gives them. */
interface RankCheck {
  /** Whether the key of this hash may have the rank. */
  boolean has(long rank, long hi, long lo);
}
