// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the Java reader says of many files: a line for each that is named on standard input, by its path or, of a store,
 * the paths of its two files and a tab between them.
 *
 * <p>java -cp ... crivo.Answers KEYS; a line is why the file is refused, or the answers to the keys, tabs between them.
 */
public final class Answers {
  private Answers() {}

  public static void main(String[] args) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (String line : Files.readString(Path.of(args[0]), StandardCharsets.ISO_8859_1).split("\n")) {
      keys.add(line.getBytes(StandardCharsets.ISO_8859_1));
    }
    BufferedReader files = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    StringBuilder said = new StringBuilder();
    for (String line = files.readLine(); line != null; line = files.readLine()) {
      said.append(answers(line.split("\t"), keys)).append('\n');
    }
    System.out.write(said.toString().getBytes(StandardCharsets.ISO_8859_1));
    System.out.flush();
  }

  private static String answers(String[] paths, List<byte[]> keys) throws IOException {
    List<String> answers = new ArrayList<>();
    try {
      byte[] file = Files.readAllBytes(Path.of(paths[0]));
      Index index = paths.length == 1 ? Index.of(file) : Index.of(file, Files.readAllBytes(Path.of(paths[1])));
      index.verify();
      for (byte[] key : index.kind().isIndex() ? keys : List.<byte[]>of()) {
        answers.add(new String(Main.answer(index, key), StandardCharsets.ISO_8859_1));
      }
    } catch (RefusedException refused) {
      return refused.why().name().toLowerCase().replace('_', ' ');
    }
    return String.join("\t", answers);
  }
}
