// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;

/** A file that is not read, and why. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  /** What crivo-1.md, "Versions", tells apart, and what this reader cannot do. */
  public enum Why {
    /** Not a Crivo file. */
    FOREIGN,
    /** Of a later version, or with something that this reader does not know. */
    TOO_NEW,
    /** Of an earlier version. */
    TOO_OLD,
    /** Damaged. */
    CORRUPT,
    /** Sound perhaps, but not for this reader. */
    UNSUPPORTED
  }

  private final Why why;
  private final String what;

  RefusedException(Why why, String what) {
    super(why.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ') + ": " + what);
    this.why = why;
    this.what = what;
  }

  /** Why it is not read. */
  public Why why() {
    return why;
  }

  /** The message without the reason's name. */
  String what() {
    return what;
  }

  /** What a sound file has. */
  static void need(boolean holds, String what) throws RefusedException {
    if (!holds) {
      throw new RefusedException(Why.CORRUPT, what);
    }
  }

  /** What a file may have, but not for this reader. */
  static void know(boolean holds, String what) throws RefusedException {
    if (!holds) {
      throw new RefusedException(Why.TOO_NEW, what);
    }
  }
}
