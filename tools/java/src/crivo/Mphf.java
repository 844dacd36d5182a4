// SPDX-License-Identifier: Apache-2.0
package crivo;

/** A section that gives every hash a rank: below n, or 0 if n = 0. */
interface Mphf {
  long keys();

  long rank(long hi, long lo);
}
