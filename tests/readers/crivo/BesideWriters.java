// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** {@code BesideWriters STORE N} opens a store N times, and says the record of `a`, which is never to go back. */
final class BesideWriters {
  private BesideWriters() {}

  public static void main(String[] args) throws IOException {
    Path store = Path.of(args[0]);
    byte[] key = {'a'};
    long last = -1;
    int opens = Integer.parseInt(args[1]);
    for (int i = 0; i < opens; ++i) {
      long now = Long.parseLong(new String(Index.open(store).record(key).orElseThrow(), StandardCharsets.UTF_8));
      if (now < last) {
        throw new AssertionError("open " + i + ": back from " + last + " to " + now);
      }
      last = now;
    }
    System.out.println(last + " after " + opens + " opens");
  }
}
