// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** The tree of SHA-256 over the chunks of a file's sections: crivo-1.md, "Hash tree". */
final class HashTree {
  static final int CHUNK = 65_536;
  private static final int PIECE = 4096;
  private static final int HASH = 32;

  private HashTree() {}

  /** The SHA-256 of these bytes, one after the other. */
  static byte[] sha256(Bytes... runs) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Bytes run : runs) {
        for (long at = 0; at < run.length(); at += CHUNK) {
          digest.update(run.slice(at, Math.min(CHUNK, run.length() - at)).copy());
        }
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** The lists of a section's bytes; its hash is that of the last. */
  static List<byte[]> lists(Bytes section) {
    List<byte[]> lists = new ArrayList<>();
    byte[] list = hashes(section, CHUNK);
    lists.add(list);
    while (list.length > PIECE) {
      list = hashes(Bytes.of(list), PIECE);
      lists.add(list);
    }
    return lists;
  }

  /** The SHA-256 of each so many bytes. */
  private static byte[] hashes(Bytes bytes, int unit) {
    ByteArrayOutputStream list = new ByteArrayOutputStream();
    for (long at = 0; at < bytes.length(); at += unit) {
      list.writeBytes(sha256(bytes.slice(at, Math.min(unit, bytes.length() - at))));
    }
    return list.toByteArray();
  }

  /** The bytes that section 2 has of a section of this length. */
  static long leavesLength(long length) {
    long size = length > CHUNK ? HASH * Bits.ceilDiv(length, CHUNK) : 0;
    long total = size;
    while (size > PIECE) {
      size = HASH * Bits.ceilDiv(size, PIECE);
      total += size;
    }
    return total;
  }
}
