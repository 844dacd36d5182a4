// SPDX-License-Identifier: Apache-2.0
package crivo;

/** A section that may hold a hash, or surely does not; what it says of none of n = 0 keys does not count. */
interface Filter {
  long keys();

  boolean mayContain(long hi, long lo);
}
