// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;

/** A decoding table of zstd's literals: RFC 8878, section 4.2. */
final class Huffman {
  private static final int MOST_BITS = 11;
  private static final int MOST_WEIGHTS = 255;

  private final int width; // of the longest code, in bits
  private final byte[] symbols; // by the next `width` bits
  private final byte[] bits; // that the code takes of them

  private Huffman(int[] weights, int count) throws RefusedException {
    int sum = 0;
    for (int i = 0; i < count; ++i) {
      need(weights[i] <= MOST_BITS, "a weight of literals");
      sum += 1 << weights[i] >> 1;
    }
    need(sum > 0, "the weights of literals");
    width = 32 - Integer.numberOfLeadingZeros(sum);
    int left = (1 << width) - sum; // the last symbol's weight is not written
    need(width <= MOST_BITS && Integer.bitCount(left) == 1, "the weights of literals");
    weights[count++] = 32 - Integer.numberOfLeadingZeros(left);
    symbols = new byte[1 << width];
    bits = new byte[1 << width];
    int place = 0;
    for (int weight = 1; weight <= width; ++weight) {
      for (int symbol = 0; symbol < count; ++symbol) {
        if (weights[symbol] == weight) {
          int end = place + (1 << weight - 1);
          Arrays.fill(symbols, place, end, (byte) symbol);
          Arrays.fill(bits, place, end, (byte) (width + 1 - weight));
          place = end;
        }
      }
    }
    need(place == 1 << width, "the weights of literals");
  }

  /** Reads the description of one. */
  static Huffman read(ForwardBits in) throws RefusedException {
    int head = in.read(8);
    int[] weights = new int[MOST_WEIGHTS + 1];
    int count;
    if (head >= 128) {
      count = head - 127;
      for (int i = 0; i < count; i += 2) {
        int both = in.read(8);
        weights[i] = both >> 4;
        weights[i + 1] = both & 15;
      }
      weights[count] = 0;
    } else {
      int end = in.at() + head;
      need(end <= in.bytes().length, "the weights of literals");
      Fse table = Fse.read(in, 6, MOST_BITS + 2);
      count = weights(table, new BackwardBits(in.bytes(), in.at(), end), weights);
      in.skipTo(end);
    }
    return new Huffman(weights, count);
  }

  /** Two states take turns until there are no more bits. */
  private static int weights(Fse table, BackwardBits in, int[] weights) throws RefusedException {
    Fse.State one = new Fse.State(table, in);
    Fse.State other = new Fse.State(table, in);
    int count = 0;
    while (true) {
      need(count + 2 <= MOST_WEIGHTS, "the weights of literals");
      weights[count++] = one.symbol();
      one.next(in);
      if (in.isPast()) {
        weights[count++] = other.symbol();
        return count;
      }
      Fse.State turn = one;
      one = other;
      other = turn;
    }
  }

  /** Decodes a stream, all of it, to out[begin, end). */
  void decode(BackwardBits in, byte[] out, int begin, int end) throws RefusedException {
    for (int i = begin; i < end; ++i) {
      int next = in.peek(width);
      out[i] = symbols[next];
      in.skip(bits[next]);
    }
    need(in.isAtEnd(), "the end of a stream of literals");
  }
}
