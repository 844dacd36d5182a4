// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What the Java reader says of files that must be signed by KEY: a line for each that is named on standard input. */
public final class SignedFiles {
  private SignedFiles() {}

  public static void main(String[] args) throws IOException {
    Trust trust = new Trust(PublicKey.of(args[0]));
    if (args.length > 1) {
      trust = trust.withState(Path.of(args[1]));
    }
    BufferedReader files = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = files.readLine(); line != null; line = files.readLine()) {
      try {
        Trust.Signed signed = Index.open(Path.of(line), trust).signed().orElseThrow();
        System.out.println("accepted " + signed.keyId() + " " + Long.toUnsignedString(signed.sequence()) + " "
            + signed.expires());
      } catch (RefusedException refused) {
        System.out.println(refused.getMessage());
      } catch (NoSuchFileException missing) { // the records of a store whose index is another
        System.out.println(missing);
      }
      System.out.flush(); // who asked may wait for it
    }
  }
}
