// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.io.ByteArrayOutputStream;

/** Section 65, and the units that it encodes, a record each: store.md, tokens.md. */
final class Codec {
  private static final int NONE = 0;
  private static final int TOKENS12 = 1;
  private static final int ZSTD = 3;
  private static final int BYTES = 256; // tokens that stand for one byte

  private final Bytes section;
  private final int number;
  private final long longest;
  private final int tokens; // from BYTES on
  private long[] begins; // of the strings of these, and the end of the last

  /** A key and its record. */
  record Pair(byte[] key, byte[] record) {}

  Codec(Bytes section) throws RefusedException {
    this.section = section;
    long version = section.u32(0);
    long codec = section.u32(4);
    need(version >= 1, "the version of the codec");
    know(version == 1 && codec <= ZSTD, "codec " + codec + " of version " + version);
    number = (int) codec;
    need(Xxh.hash64(section.slice(16, section.length() - 16), 0) == section.u64(8), "the checksum of the codec");
    longest = section.u64(16);
    section.zero(28, 32);
    if (number == ZSTD) {
      throw new RefusedException(RefusedException.Why.UNSUPPORTED, "records compressed by zstd");
    }
    boolean empty = section.length() == 32;
    need(number != NONE || empty, "a dictionary of no use");
    tokens = empty ? 0 : readTokens();
  }

  private int readTokens() throws RefusedException {
    long count = section.u32(32);
    need(count >= 1 && count <= (number == TOKENS12 ? 3840 : 65_280), "the number of tokens");
    long at = 36 + (count + 1) / 2;
    need(count % 2 == 0 || section.u8(at - 1) >> 4 == 0, "the lengths of the tokens");
    begins = new long[(int) count + 1];
    for (int i = 0; i < count; ++i) {
      int length = (section.u8(36 + i / 2) >> 4 * (i % 2) & 15) + 1;
      need(length >= 2, "a token is too short");
      begins[i] = at;
      at += length;
    }
    begins[(int) count] = at;
    need(at == section.length(), "the strings of the tokens");
    return (int) count;
  }

  /** What a unit holds, whose record has this rank. */
  Pair pair(Bytes unit, long rank) throws RefusedException {
    need(unit.length() > 4, "a unit is cut off");
    need(Crc32c.of(unit.slice(4, unit.length() - 4), rank) == unit.u32(0), "the check of a unit");
    long head = 0;
    long at = 4;
    for (int shift = 0; ; shift += 7) {
      need(shift < 35, "a number is too long");
      int next = unit.u8(at++);
      head |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        break;
      }
    }
    need(head <= 0xffffffffL, "a number is too long");
    Bytes stored = unit.slice(at, unit.length() - at);
    byte[] raw = head % 2 == 0 ? stored.copy() : decoded(stored);
    need(raw.length <= longest && head >> 1 <= raw.length, "the length of a unit");
    int key = (int) (head >> 1);
    return new Pair(java.util.Arrays.copyOf(raw, key), java.util.Arrays.copyOfRange(raw, key, raw.length));
  }

  private byte[] decoded(Bytes stored) throws RefusedException {
    need(number != NONE, "an encoded unit without a codec");
    int width = number == TOKENS12 ? 12 : 16;
    need(number == TOKENS12 ? stored.length() % 3 != 1 : stored.length() % 2 == 0, "the length of a unit");
    long count = 8 * stored.length() / width;
    need(stored.bits(count * width, (int) (8 * stored.length() % width)) == 0, "bits over in a unit");
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    for (long i = 0; i < count; ++i) {
      int token = (int) stored.bits(i * width, width);
      need(token < BYTES + tokens, "a token that there is not");
      if (token < BYTES) {
        raw.write(token);
      } else {
        int string = token - BYTES;
        raw.writeBytes(section.slice(begins[string], begins[string + 1] - begins[string]).copy());
      }
      need(raw.size() <= longest, "a unit is too long");
    }
    return raw.toByteArray();
  }
}
