// SPDX-License-Identifier: Apache-2.0
package crivo;

/** Bytes of an open file that an answer rests on do not have their sum: nobody can tell the answer. */
public final class DamagedException extends IndexOutOfBoundsException {
  private static final long serialVersionUID = 1;

  DamagedException(long page) {
    super("damaged: page " + page + " of 4096 bytes fails its sum");
  }
}
