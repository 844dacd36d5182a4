// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/**
 * Files of exact kinds, damaged: no answer is another than that of the sound file.
 *
 * <p>java -cp ... crivo.Silence KEYS COUNT FILE...; a store is FILE,DATA, of which the first is damaged. Prints how many
 * files were refused and how many answers were damaged, and exits with 1 after the first that was wrong.
 */
public final class Silence {
  private Silence() {}

  public static void main(String[] args) throws IOException {
    List<byte[]> keys = Files.readAllLines(Path.of(args[0])).stream().map(key -> key.getBytes(StandardCharsets.UTF_8)).toList();
    Random random = new Random(5);
    for (int i = 2; i < args.length; ++i) {
      String[] names = args[i].split(",");
      byte[] sound = Files.readAllBytes(Path.of(names[0]));
      byte[] data = names.length > 1 ? Files.readAllBytes(Path.of(names[1])) : null;
      Object[] right = new Object[keys.size()];
      Index whole = open(sound, data);
      for (int k = 0; k < right.length; ++k) {
        right[k] = answer(whole, keys.get(k));
      }
      long refused = 0;
      long damaged = 0;
      for (int turn = Integer.parseInt(args[1]); turn > 0; --turn) {
        byte[] bytes = sound.clone();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Index index;
        try {
          index = open(bytes, data);
        } catch (RefusedException e) {
          ++refused;
          continue;
        }
        for (int k = 0; k < right.length; ++k) {
          try {
            if (!Objects.deepEquals(answer(index, keys.get(k)), right[k])) {
              System.err.println(args[i] + ": another answer for " + new String(keys.get(k), StandardCharsets.UTF_8));
              System.exit(1);
            }
          } catch (DamagedException | RefusedException e) {
            ++damaged;
          }
        }
      }
      System.out.println(refused + " refused, " + damaged + " damaged");
    }
  }

  private static Index open(byte[] file, byte[] data) throws RefusedException {
    return data == null ? Index.of(file) : Index.of(file, data);
  }

  private static Object answer(Index index, byte[] key) throws RefusedException {
    return switch (index.kind()) {
      case MAP -> index.value(key);
      case EXACT -> index.answer(key);
      case DICTIONARY -> index.id(key);
      default -> index.record(key).map(record -> new String(record, StandardCharsets.ISO_8859_1)).orElse(null);
    };
  }
}
