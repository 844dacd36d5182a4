// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Section 65, and the units that it encodes: store.md, tokens.md. */
final class Codec {
  private static final int NONE = 0;
  private static final int TOKENS12 = 1;
  private static final int ZSTD = 3;
  private static final int NEIGHBOURS = 4;
  private static final int BYTES = 256; // tokens that stand for one byte
  private static final int GROUP = 128; // of tokens, of which the dictionary has the lengths together
  private static final int MOST_RECORDS = 8192; // of a block

  private final Bytes section;
  private final int number;
  private final long longest;
  private final int tokens; // from BYTES on
  private long[] begins; // of the strings of these
  private long[] ends;
  private final Zstd zstd;
  private final Neighbours neighbours;

  /** A key and its record. */
  record Pair(byte[] key, byte[] record) {}

  Codec(Bytes section) throws RefusedException {
    this.section = section;
    long version = section.u32(0);
    long codec = section.u32(4);
    need(version >= 1, "the version of the codec");
    know(version == 1 && codec <= NEIGHBOURS, "codec " + codec + " of version " + version);
    number = (int) codec;
    need(Xxh.hash64(section.slice(16, section.length() - 16), 0) == section.u64(8), "the checksum of the codec");
    longest = section.u64(16);
    section.zero(28, 32);
    boolean empty = section.length() == 32;
    need(number != NONE || empty, "a dictionary of no use");
    byte[] dictionary = number >= ZSTD ? section.slice(32, section.length() - 32).copy() : null;
    zstd = number == ZSTD ? new Zstd(dictionary) : null;
    neighbours = number == NEIGHBOURS ? new Neighbours(dictionary) : null;
    tokens = empty || number >= ZSTD ? 0 : readTokens();
  }

  /** Whether a unit is one record. */
  boolean isByRecord() {
    return number < ZSTD;
  }

  private int readTokens() throws RefusedException {
    long count = section.u32(32);
    need(count >= 1 && count <= (number == TOKENS12 ? 3840 : 65_280), "the number of tokens");
    begins = new long[(int) count];
    ends = new long[(int) count];
    long begin = 36 + 2 * ((count + GROUP - 1) / GROUP);
    for (int first = 0; first < count; first += GROUP) {
      int many = (int) Math.min(GROUP, count - first);
      long end = begin + section.u16(36 + 2 * (first / GROUP));
      long at = begin + (many + 1) / 2;
      need(many % 2 == 0 || section.u8(at - 1) >> 4 == 0, "the lengths of the tokens");
      for (int i = 0; i < many; ++i) {
        int length = (section.u8(begin + i / 2) >> 4 * (i % 2) & 15) + 1;
        need(length >= 2, "a token is too short");
        begins[first + i] = at;
        at += length;
        ends[first + i] = at;
      }
      need(at == end, "the strings of the tokens");
      begin = end;
    }
    need(begin == section.length(), "the groups of tokens");
    return (int) count;
  }

  /** Where a unit is. */
  private enum Where { STORE, PART, UPDATE }

  /** What a unit of a store or of a part of one holds, whose first record has this rank. */
  List<Pair> pairs(Bytes unit, long first, boolean ofPart) throws RefusedException {
    return pairs(unit, first, ofPart ? Where.PART : Where.STORE);
  }

  /** The same of an update, with which `bytes` begin: the unit's length, and the unit. */
  List<Pair> updated(Bytes bytes, long rank) throws RefusedException {
    Varints in = new Varints(bytes, 0);
    long length = in.next();
    return pairs(bytes.slice(in.at, length), rank, Where.UPDATE);
  }

  /** An update may be raw at any length; in a part a raw block goes on behind its records (parts.md). */
  private List<Pair> pairs(Bytes unit, long first, Where where) throws RefusedException {
    need(unit.length() > 4, "a unit is cut off");
    need(Crc32c.of(unit.slice(4, unit.length() - 4), first) == unit.u32(0), "the check of a unit");
    Varints in = new Varints(unit, 4);
    long head = in.next();
    Bytes stored = unit.slice(in.at, unit.length() - in.at);
    boolean isRaw = head % 2 == 0;
    if (!isRaw && number == NEIGHBOURS) {
      List<Pair> pairs = new ArrayList<>();
      for (byte[] record : neighbours.records(stored, head >> 1, longest)) {
        pairs.add(new Pair(new byte[0], record));
      }
      return pairs;
    }
    byte[] raw = isRaw ? stored.copy() : decoded(stored);
    need(raw.length <= longest || where == Where.UPDATE && isRaw, "the length of a unit");
    if (number >= ZSTD) {
      return block(Bytes.of(raw), head >> 1, where == Where.PART && isRaw);
    }
    need(head >> 1 <= raw.length, "the length of a unit");
    int key = (int) (head >> 1);
    return List.of(new Pair(Arrays.copyOf(raw, key), Arrays.copyOfRange(raw, key, raw.length)));
  }

  private static List<Pair> block(Bytes raw, long records, boolean goesOn) throws RefusedException {
    need(records <= MOST_RECORDS, "the records of a block");
    List<Pair> pairs = new ArrayList<>();
    Varints in = new Varints(raw, 0);
    for (long i = 0; i < records; ++i) {
      long key = in.next();
      long record = in.next();
      need(key + record <= raw.length() - in.at, "a record of a block");
      pairs.add(new Pair(raw.slice(in.at, key).copy(), raw.slice(in.at + key, record).copy()));
      in.at += key + record;
    }
    need(goesOn || in.at == raw.length(), "the length of a block");
    return pairs;
  }

  /** Numbers one after the other. */
  static final class Varints {
    private final Bytes bytes;
    private long at;

    Varints(Bytes bytes, long at) {
      this.bytes = bytes;
      this.at = at;
    }

    /** Where the next begins. */
    long at() {
      return at;
    }

    long next() throws RefusedException {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        need(shift < 35, "a number is too long");
        int next = bytes.u8(at++);
        value |= (long) (next & 0x7f) << shift;
        if (next < 0x80) {
          need(value <= 0xffffffffL, "a number is too long");
          return value;
        }
      }
    }
  }

  private byte[] decoded(Bytes stored) throws RefusedException {
    need(number != NONE, "an encoded unit without a codec");
    if (number == ZSTD) {
      return zstd.decode(stored.copy(), longest);
    }
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
        raw.writeBytes(section.slice(begins[string], ends[string] - begins[string]).copy());
      }
      need(raw.size() <= longest, "a unit is too long");
    }
    return raw.toByteArray();
  }
}
