// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Answers lines of a form, a TAB and a text in hexadecimal digits with the key, in such digits. */
public final class KeysTest {
  private KeysTest() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] asked = line.split("\t", -1);
      System.out.println(HexFormat.of().formatHex(Keys.of(asked[0], HexFormat.of().parseHex(asked[1]))));
    }
  }
}
