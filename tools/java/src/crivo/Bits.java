// SPDX-License-Identifier: Apache-2.0
package crivo;

/** Arithmetic of the format's pages; a long is an unsigned number of 64 bits. */
final class Bits {
  private Bits() {}

  /** 2^count - 1, for a count of 0 to 64. */
  static long mask(int count) {
    return count == 64 ? -1 : (1L << count) - 1;
  }

  /** The high half of the 128-bit product. */
  static long mulhi(long a, long b) {
    return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
  }

  static long mix64(long x) {
    x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
    x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
    return x ^ x >>> 31;
  }

  /** Both halves of a hash, {hi, lo}, mixed under t. */
  static long[] mixed(long hi, long lo, long t) {
    lo ^= mix64(hi + t);
    hi ^= mix64(lo + t);
    lo ^= mix64(hi + t);
    return new long[] {hi, lo};
  }

  /** The first `count` bits as a number; 0 for none. */
  static long first(long x, int count) {
    return count == 0 ? 0 : x >>> 64 - count;
  }

  static long ceilDiv(long a, long b) {
    return (a + b - 1) / b;
  }

  static long roundUp(long a, long b) {
    return ceilDiv(a, b) * b;
  }

  static int parity(long x) {
    return Long.bitCount(x) & 1;
  }

  static boolean below(long a, long b) {
    return Long.compareUnsigned(a, b) < 0;
  }

  static long least(long a, long b) {
    return below(b, a) ? b : a;
  }
}
