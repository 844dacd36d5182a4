// SPDX-License-Identifier: Apache-2.0
import crivo.Index;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Prints the value of each key of standard input in a map: java -cp crivo.jar Lookup.java lines.crv < keys.txt */
public class Lookup {
  public static void main(String[] args) throws Exception {
    Index map = Index.open(Path.of(args[0]));
    BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String key = keys.readLine(); key != null; key = keys.readLine()) {
      OptionalLong value = map.value(key.getBytes(StandardCharsets.UTF_8));
      System.out.println(key + "\t" + (value.isPresent() ? value.getAsLong() : "absent"));
    }
  }
}
