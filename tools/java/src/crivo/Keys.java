// SPDX-License-Identifier: Apache-2.0
package crivo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** Texts made keys, as {@code crivo extract} and {@code crivo build --from} make them. */
public final class Keys {
  /** Of a k-mer. */
  public static final int MOST_BASES = 31;

  private static final String BASES = "ACGT";

  private Keys() {}

  /**
   * The key that a text becomes in a form, as a file's metadata has it under crivo.with.keys: "lines", "urls",
   * "urls surt", "terms fold", "terms", "docnos" or "kmers K" (no bytes for what is not K bases).
   *
   * @throws IllegalArgumentException for another form
   */
  public static byte[] of(String form, byte[] text) {
    Objects.requireNonNull(text, "the text is null");
    if (Objects.requireNonNull(form, "the form is null").startsWith("kmers ")) {
      String digits = form.substring(6);
      int k = digits.matches("[0-9]{1,2}") ? Integer.parseInt(digits) : 0;
      if (k < 1 || k > MOST_BASES) {
        throw new IllegalArgumentException("not a form of keys: " + form);
      }
      OptionalLong number = text.length == k ? kmer(text) : OptionalLong.empty();
      return number.isEmpty() ? new byte[0]
          : ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number.getAsLong()).array();
    }
    return switch (form) {
      case "lines", "terms", "docnos" -> text.clone();
      case "urls" -> url(text);
      case "urls surt" -> surt(url(text));
      case "terms fold" -> fold(text);
      default -> throw new IllegalArgumentException("not a form of keys: " + form);
    };
  }

  /** A to Z as a to z; all other bytes stay. */
  public static byte[] fold(byte[] text) {
    byte[] folded = Objects.requireNonNull(text, "the text is null").clone();
    for (int i = 0; i < folded.length; ++i) {
      if (folded[i] >= 'A' && folded[i] <= 'Z') {
        folded[i] += 'a' - 'A';
      }
    }
    return folded;
  }

  /** A URL as it is extracted: without {@code <} and {@code >} and white space around it, a space in it as %20. */
  public static byte[] url(byte[] text) {
    String url = trimmed(new String(Objects.requireNonNull(text, "the text is null"), ISO_8859_1));
    if (url.startsWith("<") && url.endsWith(">")) {
      url = trimmed(url.substring(1, Math.max(1, url.length() - 1)));
    }
    return url.replace(" ", "%20").getBytes(ISO_8859_1);
  }

  /** The canonical number of 1 to MOST_BASES bases, in either case; nothing for any other text. */
  public static OptionalLong kmer(byte[] bases) {
    if (Objects.requireNonNull(bases, "the bases are null").length == 0 || bases.length > MOST_BASES) {
      return OptionalLong.empty();
    }
    long forward = 0;
    long reverse = 0;
    for (int i = 0; i < bases.length; ++i) {
      int base = BASES.indexOf(bases[i] & ~0x20);
      if (base < 0 || bases[i] < 'A') {
        return OptionalLong.empty();
      }
      forward = forward << 2 | base;
      reverse |= (3L - base) << 2 * i;
    }
    return OptionalLong.of(Math.min(forward, reverse));
  }

  /** A URL in the order of its host's parts, from the last, as indexes of web archives have it: com,example)/a. */
  public static byte[] surt(byte[] url) {
    String rest = new String(fold(url), ISO_8859_1);
    rest = rest.substring(0, end(rest, rest.indexOf('#')));
    String scheme = scheme(rest);
    String behind = scheme.isEmpty() ? rest : rest.substring(scheme.length() + 1);
    if (behind.startsWith("//")) {
      rest = behind.substring(2);
    } else if (!scheme.isEmpty()) {
      // A scheme without "//" has no host; digits behind the colon are a port.
      if (behind.isEmpty() || !isDigit(behind.charAt(0))) {
        return url.clone();
      }
      scheme = "";
    }
    int path = 0;
    while (path < rest.length() && rest.charAt(path) != '/' && rest.charAt(path) != '?') {
      ++path;
    }
    StringBuilder made = new StringBuilder();
    appendAuthority(made, rest.substring(0, path), scheme.equals("https") ? "443" : "80");
    appendPath(made.append(')'), rest.substring(path));
    return made.toString().getBytes(ISO_8859_1);
  }

  private static void appendAuthority(StringBuilder to, String authority, String ownPort) {
    String host = authority.substring(authority.lastIndexOf('@') + 1);
    int bracket = host.startsWith("[") ? Math.max(0, host.indexOf(']')) : 0;
    int colon = host.indexOf(':', bracket);
    String port = colon < 0 ? "" : host.substring(colon + 1);
    appendHost(to, host.substring(0, end(host, colon)));
    if (!port.isEmpty() && !port.equals(ownPort)) {
      to.append(':').append(port);
    }
  }

  private static void appendHost(StringBuilder to, String host) {
    while (host.endsWith(".")) {
      host = host.substring(0, host.length() - 1);
    }
    host = withoutWww(host);
    if (host.startsWith("[") || host.chars().allMatch(c -> isDigit(c) || c == '.')) {
      to.append(host);
      return;
    }
    List<String> parts = Arrays.asList(host.split("\\.", -1));
    Collections.reverse(parts);
    to.append(String.join(",", parts));
  }

  private static void appendPath(StringBuilder to, String rest) {
    int mark = rest.indexOf('?');
    String path = rest.substring(0, end(rest, mark));
    while (path.length() > 1 && path.endsWith("/")) {
      path = path.substring(0, path.length() - 1);
    }
    to.append(path.isEmpty() ? "/" : path);
    if (mark >= 0 && mark + 1 < rest.length()) {
      String[] parts = rest.substring(mark + 1).split("&", -1);
      Arrays.sort(parts);
      to.append('?').append(String.join("&", parts));
    }
  }

  private static String withoutWww(String host) {
    if (!host.startsWith("www")) {
      return host;
    }
    int dot = 3;
    while (dot < host.length() && isDigit(host.charAt(dot))) {
      ++dot;
    }
    return dot < host.length() && host.charAt(dot) == '.' ? host.substring(dot + 1) : host;
  }

  /** The scheme that a URL in lower case begins with, without its colon; empty if it has none. */
  private static String scheme(String url) {
    int at = 0;
    while (at < url.length() && (url.charAt(at) >= 'a' && url.charAt(at) <= 'z' || isDigit(url.charAt(at))
        || "+-.".indexOf(url.charAt(at)) >= 0)) {
      ++at;
    }
    return at != 0 && at < url.length() && url.charAt(at) == ':' ? url.substring(0, at) : "";
  }

  private static String trimmed(String text) {
    int begin = 0;
    int end = text.length();
    while (begin < end && " \t\r\n".indexOf(text.charAt(begin)) >= 0) {
      ++begin;
    }
    while (end > begin && " \t\r\n".indexOf(text.charAt(end - 1)) >= 0) {
      --end;
    }
    return text.substring(begin, end);
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** Where a part ends that `found` ends, or -1 does not. */
  private static int end(String text, int found) {
    return found < 0 ? text.length() : found;
  }
}
