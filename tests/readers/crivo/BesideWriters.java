// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Opens a store again and again until standard input ends, while its record of `a` is counted up and it is compacted. */
final class BesideWriters {
  private BesideWriters() {}

  public static void main(String[] args) throws IOException {
    Path store = Path.of(args[0]);
    byte[] key = {'a'};
    long last = -1;
    long opens = 0;
    for (; System.in.available() == 0; ++opens) {
      long now = Long.parseLong(new String(Index.open(store).record(key).orElseThrow(), StandardCharsets.UTF_8));
      if (now < last) {
        throw new AssertionError("back from " + last + " to " + now);
      }
      last = now;
    }
    System.out.println(last + " after " + opens + " opens");
  }
}
