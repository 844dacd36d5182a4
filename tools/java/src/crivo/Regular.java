// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Files that are read: whoever opens a FIFO waits until somebody writes. */
final class Regular {
  private Regular() {}

  /** The path of a regular file, or a link to one. Throws where there is another, or none. */
  static Path file(Path path) throws IOException {
    if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
      throw new FileSystemException(path.toString(), null, "is not a regular file");
    }
    return path;
  }
}
