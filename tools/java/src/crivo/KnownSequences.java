// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/** A file that keeps the highest sequence seen of each name, as Crivo's program has it. */
final class KnownSequences {
  private static final String FIRST_LINE = "known sequences 1";

  private KnownSequences() {}

  private static Map<String, Long> read(Path state) throws IOException {
    Map<String, Long> known = new TreeMap<>();
    String text;
    try {
      text = Files.readString(Regular.file(state), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return known;
    }
    if (text.isEmpty()) {
      return known;
    }
    String problem = state + ": is not a file of known sequences";
    String[] lines = text.split("\n", -1);
    need(lines[0].equals(FIRST_LINE) && lines[lines.length - 1].isEmpty(), problem);
    for (int i = 1; i + 1 < lines.length; ++i) {
      int tab = lines[i].indexOf('\t');
      try {
        need(tab > 0 && known.put(lines[i].substring(tab + 1), Long.parseUnsignedLong(lines[i], 0, tab, 10)) == null, problem);
      } catch (NumberFormatException e) {
        need(false, problem);
      }
    }
    return known;
  }

  /** The name with a char for each of its bytes, as the file is read. */
  private static String key(String name) throws RefusedException {
    need(name.chars().noneMatch(c -> c < 0x20), "a state cannot keep a name with control characters");
    return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static void refuseOlder(Map<String, Long> known, Path state, String name, long sequence, Path signature)
      throws RefusedException {
    Long seen = known.get(key(name));
    need(seen == null || Long.compareUnsigned(seen, sequence) <= 0,
        signature + ": is older than one that was seen before: its sequence is " + Long.toUnsignedString(sequence)
            + ", and " + state + " has " + (seen == null ? "none" : Long.toUnsignedString(seen)));
  }

  static void refuseOlder(Path state, String name, long sequence, Path signature) throws IOException {
    refuseOlder(read(state), state, name, sequence, signature);
  }

  /** The same, and puts a higher one into the file, which is replaced at once. One at a time. */
  static synchronized void note(Path state, String name, long sequence, Path signature) throws IOException {
    Path lock = state.resolveSibling(state.getFileName() + ".lock");
    try (FileChannel held = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      held.lock(); // until it is closed
      Map<String, Long> known = read(state);
      refuseOlder(known, state, name, sequence, signature);
      Long before = known.put(key(name), sequence);
      if (before != null && before == sequence) {
        return;
      }
      StringBuilder text = new StringBuilder(FIRST_LINE + "\n");
      known.forEach((of, seen) -> text.append(Long.toUnsignedString(seen)).append('\t').append(of).append('\n'));
      Path next = state.resolveSibling(state.getFileName() + ".next");
      try (FileChannel out = FileChannel.open(next, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.ISO_8859_1));
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
        out.force(true);
      }
      Files.move(next, state, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
