// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;

/** The dictionary of the codec of that name, and the units that it decodes: neighbours.md. */
final class Neighbours {
  private static final int[] SYMBOLS = {48, 64, 40, 256}; // literal lengths, match lengths, offsets, literals
  private static final int ALL_SYMBOLS = 408;
  private static final int LITERAL_LENGTHS = 16; // symbols that are numbers themselves
  private static final int MATCH_LENGTHS = 32;
  private static final int NEAR = 8;
  private static final int FIRST_POWER = 17;
  private static final int LEADER = 8; // one record in so many is one
  private static final int MOST_RECORDS = 8192;
  private static final int MOST_BITS = 30;

  /** The symbols of an alphabet by length of their codewords, and how many have each. */
  private record Code(int[] symbols, int[] counts) {
    static Code of(byte[] lengths) throws RefusedException {
      int[] counts = new int[MOST_BITS + 1];
      int[] symbols = new int[lengths.length];
      int at = 0;
      long covered = 0;
      for (int length = 1; length <= MOST_BITS; ++length) {
        for (int symbol = 0; symbol < lengths.length; ++symbol) {
          if (lengths[symbol] == length) {
            symbols[at++] = symbol;
            ++counts[length];
            covered += 1L << MOST_BITS - length;
          }
        }
      }
      need(at == lengths.length && covered == 1L << MOST_BITS, "a code of a dictionary");
      return new Code(symbols, counts);
    }

    int take(ForwardBits bits) throws RefusedException {
      int word = 0;
      int first = 0; // the first codeword of this length
      int at = 0;
      for (int length = 1; length <= MOST_BITS; ++length) {
        word = word << 1 | bits.read(1);
        first <<= 1;
        if (word - first < counts[length]) {
          return symbols[at + word - first];
        }
        at += counts[length];
        first += counts[length];
      }
      throw new RefusedException(RefusedException.Why.CORRUPT, "a codeword that there is not");
    }

    /** The number of a symbol and the bits behind it; smaller ones than `direct` are symbols. */
    int number(ForwardBits bits, int direct) throws RefusedException {
      int symbol = take(bits);
      if (symbol < direct) {
        return symbol;
      }
      int size = (symbol - direct) / 2 + 1;
      return direct - 4 + (2 + (symbol - direct) % 2 << size) + bits.read(size);
    }
  }

  private final Code[] codes = new Code[SYMBOLS.length];
  private final byte[] text;

  Neighbours(byte[] dictionary) throws RefusedException {
    need(dictionary.length >= ALL_SYMBOLS && dictionary.length <= ALL_SYMBOLS + (1 << 16), "the length of a dictionary");
    int at = 0;
    for (int i = 0; i < SYMBOLS.length; ++i) {
      codes[i] = Code.of(Arrays.copyOfRange(dictionary, at, at + SYMBOLS[i]));
      at += SYMBOLS[i];
    }
    text = Arrays.copyOfRange(dictionary, at, dictionary.length);
  }

  /** The records of a unit, which have at most so many bytes. */
  byte[][] records(Bytes unit, long count, long longest) throws RefusedException {
    need(count <= MOST_RECORDS, "the records of a block");
    Codec.Varints in = new Codec.Varints(unit, 0);
    int records = (int) count;
    int leaders = (records + LEADER - 1) / LEADER;
    long[] ends = new long[records + 1]; // of pieces
    for (int i = 0; i < records; ++i) {
      ends[i + 1] = ends[i] + in.next();
    }
    need(ends[records] == unit.length() - in.at(), "the length of a block");
    byte[] pieces = unit.slice(in.at(), ends[records]).copy();
    int[] begins = new int[leaders + 1]; // of leaders in the context
    Room room = new Room(longest);
    begins[0] = text.length;
    for (int i = 0; i < leaders; ++i) {
      int last = i == 0 ? 1 : begins[i] - begins[i - 1];
      begins[i + 1] = room.decode(pieces, ends[i], ends[i + 1], begins[i], last);
    }
    byte[] context = room.bytes;
    byte[][] all = new byte[records][];
    for (int i = 0, piece = leaders; i < records; ++i) {
      int own = i / LEADER;
      if (i % LEADER == 0) {
        all[i] = Arrays.copyOfRange(context, begins[own], begins[own + 1]);
        continue;
      }
      int begin = begins[Math.min(own + 2, leaders)];
      room.bytes = Arrays.copyOf(context, begin);
      int end = room.decode(pieces, ends[piece], ends[piece + 1], begin, begin - begins[own]);
      all[i] = Arrays.copyOfRange(room.bytes, begin, end);
      ++piece;
    }
    return all;
  }

  /** A context, and what is decoded behind it. */
  private final class Room {
    private final long longest;
    private byte[] bytes = text;

    Room(long longest) {
      this.longest = longest;
    }

    /** Decodes a piece to `begin`; where it ends. */
    int decode(byte[] pieces, long from, long to, int begin, int first) throws RefusedException {
      ForwardBits bits = new ForwardBits(pieces, (int) from, (int) to);
      int last = Math.max(first, 1);
      int at = begin;
      while (true) {
        int literals = codes[0].number(bits, LITERAL_LENGTHS);
        grow(at, literals);
        for (int i = 0; i < literals; ++i) {
          bytes[at++] = (byte) codes[3].take(bits);
        }
        int match = codes[1].number(bits, MATCH_LENGTHS);
        if (match == 0) {
          need(bits.isAtEnd(), "the end of a piece");
          return at;
        }
        last = distance(bits, last);
        need(last >= 1 && last <= at, "the distance of a match");
        grow(at, match + 1);
        for (int i = 0; i <= match; ++i, ++at) {
          bytes[at] = bytes[at - last];
        }
      }
    }

    private int distance(ForwardBits bits, int last) throws RefusedException {
      int symbol = codes[2].take(bits);
      if (symbol >= FIRST_POWER) {
        return (1 << symbol - FIRST_POWER) + bits.read(symbol - FIRST_POWER);
      }
      return symbol == 0 ? last : symbol <= NEAR ? last - symbol : last + symbol - NEAR;
    }

    private void grow(int at, int more) throws RefusedException {
      need((long) at + more <= text.length + longest, "a record is too long");
      if (at + more > bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(2L * (at + more), text.length + longest));
      }
    }
  }
}
