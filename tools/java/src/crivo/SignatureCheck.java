// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** FILE.minisig, of which key, trusted comment, expiry and sequence were checked. */
final class SignatureCheck {
  private static final int MOST_BYTES = 2 * 8192 + 1024;
  private static final int MOST_COMMENT = 8192;
  private static final String UNTRUSTED = "untrusted comment: ";
  private static final String TRUSTED = "trusted comment: ";
  private static final String NONE = "is not a signature of minisign";

  private final Trust trust;
  private final List<String> names; // in the state
  private final Path path;
  private final byte[] signature; // of the BLAKE2b-512 of the file
  private final String comment; // a char for each byte
  private final PublicKey key;
  private final Statement statement; // null: another's comment

  /**
   * The sequence is kept under each of the names: under none, and then the expiry is none, where another signature says
   * how new the whole is.
   */
  SignatureCheck(Path file, List<String> names, Trust trust) throws IOException {
    this.trust = trust;
    this.names = names;
    path = beside(file);
    String[] lines = lines(read());
    byte[] first = PublicKey.base64(lines[1], 74);
    byte[] second = PublicKey.base64(lines[3], 64);
    check(first != null && second != null, NONE);
    check(first[0] != 'E' || first[1] != 'd', "is a legacy signature (Ed), which is refused; sign the file again");
    check(first[0] == 'E' && first[1] == 'D', NONE);
    signature = Arrays.copyOfRange(first, 10, first.length);
    comment = lines[2].substring(TRUSTED.length());
    check(comment.length() <= MOST_COMMENT, "has a comment that is too long");
    key = owner(PublicKey.number(first), second);
    statement = statement();
    checkFreshness();
  }

  /** Where the signature of a file is. */
  static Path beside(Path file) {
    return file.resolveSibling(file.getFileName() + ".minisig");
  }

  private void check(boolean holds, String problem) throws RefusedException {
    need(holds, path + ": " + problem);
  }

  private byte[] read() throws IOException {
    try (var in = Files.newInputStream(Regular.file(path))) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      check(bytes.length <= MOST_BYTES, "is too long for a signature of minisign");
      return bytes;
    } catch (NoSuchFileException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, path + ": is missing, but the file must be signed");
    }
  }

  /** Four, each with its end. */
  private String[] lines(byte[] bytes) throws RefusedException {
    String[] lines = new String(bytes, StandardCharsets.ISO_8859_1).split("\n", -1);
    check(lines.length == 5 && lines[4].isEmpty(), NONE);
    for (int i = 0; i < 4; ++i) {
      if (lines[i].endsWith("\r")) {
        lines[i] = lines[i].substring(0, lines[i].length() - 1);
      }
    }
    check(lines[0].startsWith(UNTRUSTED) && lines[2].startsWith(TRUSTED), NONE);
    return lines;
  }

  /** Two keys may have one number, which is not secret: the one that signed is asked for. */
  private PublicKey owner(long id, byte[] second) throws RefusedException {
    byte[] text = comment.getBytes(StandardCharsets.ISO_8859_1);
    byte[] message = Arrays.copyOf(signature, signature.length + text.length);
    System.arraycopy(text, 0, message, signature.length, text.length);
    boolean isKnown = false;
    for (PublicKey some : trust.keys()) {
      if (some.number() != id) {
        continue;
      }
      isKnown = true;
      if (some.hasSigned(message, second)) {
        return some;
      }
    }
    check(!isKnown, "was altered: the signature of its trusted comment is wrong");
    String known = trust.keys().stream().map(PublicKey::id).collect(Collectors.joining(", "));
    throw new RefusedException(RefusedException.Why.CORRUPT, path + ": is signed by key " + PublicKey.text(id)
        + ", which is not trusted" + (known.isEmpty() ? "" : " (" + known + " is)"));
  }

  private Statement statement() throws RefusedException {
    try {
      return Statement.of(comment);
    } catch (RefusedException e) {
      throw new RefusedException(e.why(), path + ": " + e.what());
    }
  }

  private long sequence() {
    return statement == null ? 0 : statement.sequence;
  }

  private void checkFreshness() throws IOException {
    if (names.isEmpty()) {
      return;
    }
    if (statement != null && statement.expires != null) {
      Instant now = trust.now() == null ? Instant.now() : trust.now();
      check(now.isBefore(statement.expires), "expired at " + statement.expires);
    }
    check(Long.compareUnsigned(sequence(), trust.minimumSequence()) >= 0, "is too old: its sequence is "
        + Long.toUnsignedString(sequence()) + ", and at least " + Long.toUnsignedString(trust.minimumSequence()) + " is asked for");
    for (String name : trust.state() == null ? List.<String>of() : names) {
      KnownSequences.refuseOlder(trust.state(), name, sequence(), path);
    }
  }

  /** Checks every byte of the file, by its hash tree or by the BLAKE2b-512 of all. */
  void checkBytes(Container file) throws RefusedException {
    if (statement != null) {
      need(statement.bytes == file.length(), "the file has " + file.length() + " bytes, and " + path + " is of a file of "
          + Long.toUnsignedString(statement.bytes));
    }
    if (statement != null && statement.root != null) {
      need(statement.root.equals(file.digest()), another());
      check(file.hasTree(), "names the root of a hash tree, and the file has none");
    } else {
      need(key.hasSigned(Blake2b.hash(file.bytes(0, file.length())), signature), another());
    }
    file.verify();
  }

  private String another() {
    return "it is another file than the one that " + path + " is of";
  }

  /** Of a store: checks the root of its records, which must be verified too. */
  void checkRecords(Container records) throws RefusedException {
    check(statement != null && statement.records != null,
        "names no records, but the store has some in another file; sign the store, not its index");
    check(statement.records.equals(records.digest()) && records.hasTree(), "is of other records");
  }

  /** Keeps the sequence in the state, if there is one. Last, when all is checked. */
  void noteSeen() throws IOException {
    for (String name : trust.state() == null ? List.<String>of() : names) {
      KnownSequences.note(trust.state(), name, sequence(), path);
    }
  }

  Trust.Signed signed() {
    return new Trust.Signed(key.id(), sequence(), statement == null ? null : statement.expires,
        new String(comment.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
  }
}
