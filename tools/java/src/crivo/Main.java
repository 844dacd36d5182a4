// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** {@code java -jar crivo.jar [--public-key KEY] FILE [KEYS|-]}: verifies a file, and its signature if a key is given; answers keys, a line each, as `crivo query` does. */
public final class Main {
  private static final String USAGE = "usage: java -jar crivo.jar [--public-key KEY] FILE [KEYS|-]";
  private static final int LINE = 56; // characters of a public key

  private Main() {}

  /** The program; exits as crivo does: with 2 after wrong usage, 4 if the file is refused, 5 if it cannot be read. */
  public static void main(String[] args) {
    if (args.length == 1 && args[0].equals("--help")) {
      System.out.println(USAGE);
      return;
    }
    boolean isTrusting = args.length > 1 && args[0].equals("--public-key");
    String key = isTrusting ? args[1] : null;
    String[] rest = isTrusting ? Arrays.copyOfRange(args, 2, args.length) : args;
    if (rest.length < 1 || rest.length > 2) {
      System.err.println(USAGE);
      System.exit(2);
    }
    run(key, rest);
  }

  /** `key` is the line of a public key or the path of its file; null: no signature is asked for. */
  private static void run(String key, String[] args) {
    try {
      Path path = Path.of(args[0]);
      Index index = key == null ? Index.open(path) : Index.open(path, trust(key));
      index.verify();
      if (args.length == 1) {
        System.out.println(index.digest());
      } else {
        try (InputStream keys = args[1].equals("-") ? System.in : Files.newInputStream(Path.of(args[1]));
            OutputStream out = new BufferedOutputStream(System.out)) {
          answer(index, new BufferedInputStream(keys), out);
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println("crivo.jar: " + e.getMessage());
      System.exit(2);
    } catch (IllegalStateException | UnsupportedOperationException e) { // a file that keys cannot be asked of
      System.err.println("crivo.jar: " + args[0] + ": " + e.getMessage());
      System.exit(2);
    } catch (FileSystemException e) {
      System.err.println("crivo.jar: " + e.getFile() + ": " + problem(e));
      System.exit(5);
    } catch (IOException e) {
      System.err.println("crivo.jar: " + args[0] + ": " + e.getMessage());
      System.exit(e instanceof RefusedException ? 4 : 5);
    }
  }

  private static String problem(FileSystemException e) {
    return e instanceof NoSuchFileException ? "there is no such file"
        : e instanceof AccessDeniedException ? "it may not be read"
        : e.getReason() != null ? e.getReason() : "it cannot be read";
  }

  private static Trust trust(String key) throws IOException {
    return new Trust(key.length() == LINE ? PublicKey.of(key) : PublicKey.read(Path.of(key)));
  }

  private static void answer(Index index, InputStream keys, OutputStream out) throws IOException {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    int next;
    do { // the last line may have no end
      next = keys.read();
      if (next >= 0 && next != '\n') {
        key.write(next);
      } else if (next == '\n' || key.size() != 0) {
        for (byte[] answer : answers(index, index.keyOf(key.toByteArray()))) {
          out.write(key.toByteArray());
          out.write('\t');
          out.write(answer);
          out.write('\n');
        }
        key.reset();
      }
    } while (next >= 0);
  }

  /** The same, a line each: of a filter set the groups, of an index of rows these. */
  private static List<byte[]> answers(Index index, byte[] key) throws RefusedException {
    List<byte[]> all = index.isFilterSet() ? index.groupsOf(key)
        : index.isRows() ? index.rows(key).stream().map(Main::row).toList() : List.of();
    return all.isEmpty() ? List.of(answer(index, key)) : all;
  }

  /** What `crivo query` prints behind the key; of a filter set, or of rows, the first. */
  static byte[] answer(Index index, byte[] key) throws RefusedException {
    return switch (index.kind()) {
      case MPHF -> number(index.rank(key));
      case FILTER -> text(mayContain(index, key) ? "maybe" : "-");
      case MAP -> value(index, index.value(key));
      case FILTER_SET -> index.groupsOf(key).stream().findFirst().orElse(text("-"));
      case ROWS -> index.row(key).map(Main::row).orElse(text("-"));
      case DICTIONARY -> id(index, index.id(key));
      case STORE -> index.record(key).orElse(text("-"));
      case EXACT -> text(exact(index, key).name().toLowerCase(Locale.ROOT));
      case CHAIN -> index.isFilterSet() ? index.groupsOf(key).stream().findFirst().orElse(text("-")) : index.isRows() ? index.row(key).map(Main::row).orElse(text("-")) : text(index.isFilter() ? index.mayContain(key) ? "maybe" : "-"
          : exact(index, key).name().toLowerCase(Locale.ROOT));
      case DELTA -> throw new IllegalStateException("is a delta: apply it to its base, and ask the chain");
      case PART -> throw new IllegalStateException("is a part of a sharded build: merge the parts first");
      default -> throw new IllegalStateException("has no keys to ask for");
    };
  }

  /** A line of a filter of numbers may be the first of a range, a TAB and the last. */
  private static boolean mayContain(Index index, byte[] line) {
    int tab = tab(line);
    if (!index.takesRanges() || tab == line.length) {
      return index.mayContain(line);
    }
    byte[] high = Arrays.copyOfRange(line, tab + 1, line.length);
    return index.mayContainRange(KeyHash.number(Arrays.copyOf(line, tab)), KeyHash.number(high));
  }

  private static int tab(byte[] line) {
    int tab = 0;
    while (tab < line.length && line[tab] != '\t') {
      ++tab;
    }
    return tab;
  }

  /** Lines of a set with groups are a group, a TAB and a key. */
  private static Answer exact(Index index, byte[] line) {
    int tab = tab(line);
    if (!index.isGrouped() || tab == line.length) {
      return index.answer(line);
    }
    return index.answer(Arrays.copyOf(line, tab), Arrays.copyOfRange(line, tab + 1, line.length));
  }

  private static byte[] number(OptionalLong number) {
    return text(number.isPresent() ? Long.toUnsignedString(number.getAsLong()) : "-");
  }

  /** An id, and the value beside it. */
  private static byte[] id(Index index, OptionalLong id) throws RefusedException {
    if (id.isEmpty() || !index.hasValues()) {
      return number(id);
    }
    String value = new String(value(index, OptionalLong.of(index.value(id.getAsLong()))), StandardCharsets.UTF_8);
    return text(Long.toUnsignedString(id.getAsLong()) + "\t" + value);
  }

  private static byte[] row(Row row) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    line.writeBytes(row.file());
    row.group().ifPresent(group -> line.writeBytes(text("\t" + group)));
    line.writeBytes(text("\t" + row.row()));
    return line.toByteArray();
  }

  private static byte[] value(Index index, OptionalLong value) {
    return value.isPresent() && index.hasSignedValues()
        ? text(BigDecimal.valueOf(value.getAsLong(), index.valueScale()).toPlainString())
        : number(value);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
