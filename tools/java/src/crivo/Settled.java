// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * Opens what is of several files while others replace it: the file that leads to the rest is replaced first, and what
 * belonged to the old one goes afterwards. So an open that missed something counts only if that file is the same still.
 */
final class Settled {
  /** A replacement may take less time than an open, and then most tries meet one. */
  private static final int TRIES = 10_000;

  private Settled() {}

  /** One try. */
  interface Open {
    Index index() throws IOException;
  }

  /** Which file has a name: a number may be used again, but not at the same time. */
  private record State(Object number, FileTime modified, long size) {
    static State of(Path path) {
      try {
        BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
        return new State(file.fileKey(), file.lastModifiedTime(), file.size());
      } catch (IOException e) {
        return new State(null, null, 0);
      }
    }
  }

  /** `first` leads to the rest. Throws what the last try does. */
  static Index open(Path first, Open open) throws IOException {
    for (int left = TRIES; ; --left) {
      State before = State.of(first);
      try {
        Index index = open.index();
        if (left == 1 || !index.mayMissUpdates() || State.of(first).equals(before)) {
          return index;
        }
      } catch (IOException e) {
        if (left == 1 || State.of(first).equals(before)) {
          throw e;
        }
      }
    }
  }
}
