// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What the trusted comment of a signature says of the file: crivo-1.md, "Signature of a file". */
final class Statement {
  private static final String BEGIN = "crivo ";
  private static final String WRONG = "has a comment with a wrong ";
  private static final Map<String, Pattern> FIELDS = Map.of(
      "root", Pattern.compile("[0-9a-f]{64}"),
      "records", Pattern.compile("[0-9a-f]{64}"),
      "bytes", Pattern.compile("0|[1-9][0-9]{0,19}"),
      "sequence", Pattern.compile("0|[1-9][0-9]{0,19}"),
      "expires", Pattern.compile("[0-9]{4}(-[0-9]{2}){2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?"));

  final long bytes; // unsigned, as the sequence
  final long sequence;
  final String root; // null where it is left out, as the other two
  final String records;
  final Instant expires;

  private Statement(Map<String, String> fields) throws RefusedException {
    need(fields.containsKey("bytes"), "has a comment without a length");
    bytes = number("bytes", fields.get("bytes"));
    sequence = number("sequence", fields.getOrDefault("sequence", "0"));
    root = fields.get("root");
    records = fields.get("records");
    expires = time(fields.get("expires"));
  }

  /** Null for a comment that is not one of Crivo's. */
  static Statement of(String comment) throws RefusedException {
    if (!comment.startsWith(BEGIN)) {
      return null;
    }
    String[] words = comment.substring(BEGIN.length()).split(" ", -1);
    know(words[0].equals("1"), "has a comment of version \"" + words[0] + "\", which this reader does not know");
    Map<String, String> fields = new HashMap<>();
    for (int i = 1; i < words.length; ++i) {
      int end = words[i].indexOf('=');
      String name = end < 0 ? words[i] : words[i].substring(0, end);
      String value = end < 0 ? "" : words[i].substring(end + 1);
      know(FIELDS.containsKey(name), "has a comment with \"" + name + "\", which this reader does not know");
      need(FIELDS.get(name).matcher(value).matches() && fields.put(name, value) == null, WRONG + name);
    }
    return new Statement(fields);
  }

  private static long number(String name, String digits) throws RefusedException {
    try {
      return Long.parseUnsignedLong(digits);
    } catch (NumberFormatException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, WRONG + name);
    }
  }

  private static Instant time(String text) throws RefusedException {
    if (text == null) {
      return null;
    }
    String whole = text.length() == 10 ? text + "T00:00" : text.substring(0, text.length() - 1);
    try {
      return LocalDateTime.parse(whole).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, WRONG + "expires");
    }
  }
}
