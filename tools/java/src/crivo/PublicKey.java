// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** A key of Ed25519, as {@code minisign -G} makes them. */
public final class PublicKey {
  private static final int BYTES = 42; // "Ed", the number, the key
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] OF_ED25519 = HEX.parseHex("302a300506032b6570032100"); // RFC 8410
  private static final BigInteger PRIME = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
  /** The y of the points of order 8, of which anybody can sign; those of lower order have y = 0, 1 and -1. */
  private static final List<BigInteger> OF_ORDER_8 = List.of(
      new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
      new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d706a17c7", 16));

  private final long id;
  private final java.security.PublicKey key;

  private PublicKey(long id, java.security.PublicKey key) {
    this.id = id;
    this.key = key;
  }

  /** From the line in base64 that the file of a key ends with. */
  public static PublicKey of(String line) {
    byte[] bytes = base64(Objects.requireNonNull(line, "the line is null"), BYTES);
    if (bytes == null || bytes[0] != 'E' || bytes[1] != 'd') {
      throw new IllegalArgumentException("not a public key of minisign (56 characters of base64): " + line);
    }
    byte[] point = Arrays.copyOfRange(bytes, 10, BYTES);
    if (isWeak(point)) {
      throw new IllegalArgumentException("a weak public key, with which anybody can sign: " + line);
    }
    try {
      byte[] encoded = Arrays.copyOf(OF_ED25519, OF_ED25519.length + point.length);
      System.arraycopy(point, 0, encoded, OF_ED25519.length, point.length);
      return new PublicKey(number(bytes), KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("not a public key of minisign: " + line, e);
    }
  }

  /** From the file of a key. */
  public static PublicKey read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(Regular.file(Objects.requireNonNull(file, "the file is null")), StandardCharsets.ISO_8859_1);
    return of(lines.isEmpty() ? "" : lines.get(lines.size() - 1));
  }

  /** 16 hexadecimal digits in upper case, as minisign prints them. */
  public String id() {
    return text(id);
  }

  long number() {
    return id;
  }

  static String text(long id) {
    return String.format("%016X", id);
  }

  /** The number behind the two letters. */
  static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(2);
  }

  /** The so many bytes that are so written, and not in another way; null for none. */
  static byte[] base64(String text, int size) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return bytes.length == size && Base64.getEncoder().encodeToString(bytes).equals(text) ? bytes : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isWeak(byte[] point) {
    byte[] bytes = new byte[point.length]; // the greatest first, without the sign of x
    for (int i = 0; i < point.length; ++i) {
      bytes[i] = point[point.length - 1 - i];
    }
    bytes[0] &= 0x7f;
    BigInteger y = new BigInteger(1, bytes).mod(PRIME);
    return y.signum() == 0 || y.equals(BigInteger.ONE) || y.equals(PRIME.subtract(BigInteger.ONE)) || OF_ORDER_8.contains(y);
  }

  /** Whether the owner of the key signed the message. */
  boolean hasSigned(byte[] message, byte[] signature) {
    try {
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(key);
      check.update(message);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // of a form that no signature has
    }
  }
}
