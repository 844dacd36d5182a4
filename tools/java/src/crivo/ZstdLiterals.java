// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;

/** The literals of a zstd block, where they end in it, and the table that was used last: RFC 8878, section 3.1.1.3.1. */
record ZstdLiterals(byte[] bytes, int end, Huffman table) {
  private static final int MOST = 128 << 10;

  /** Those that begin at `at`; `before` may be null. */
  static ZstdLiterals read(byte[] in, int at, int end, Huffman before) throws RefusedException {
    int head = in[at] & 0xff;
    int form = head >> 2 & 3;
    Bytes view = Bytes.of(in);
    if ((head & 3) < 2) {
      int width = form == 1 ? 2 : form == 3 ? 3 : 1;
      int size = (int) view.number(at, width) >> (form % 2 == 0 ? 3 : 4);
      at += width;
      need(size <= MOST, "the length of literals");
      if ((head & 3) == 1) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, in[at]);
        return new ZstdLiterals(bytes, at + 1, before);
      }
      need(size <= end - at, "literals are cut off");
      return new ZstdLiterals(Arrays.copyOfRange(in, at, at + size), at + size, before);
    }
    int width = form < 2 ? 3 : form + 2;
    int bits = form < 2 ? 10 : form == 2 ? 14 : 18;
    long sizes = view.number(at, width) >> 4;
    int size = (int) (sizes & (1 << bits) - 1);
    int stored = (int) (sizes >> bits);
    at += width;
    need(size <= MOST && stored <= end - at, "the length of literals");
    int behind = at + stored;
    Huffman table = before;
    if ((head & 3) == 2) {
      ForwardBits description = new ForwardBits(in, at, behind);
      table = Huffman.read(description);
      at = description.at();
    }
    need(table != null, "a table of literals");
    byte[] bytes = new byte[size];
    if (form == 0) {
      table.decode(new BackwardBits(in, at, behind), bytes, 0, size);
      return new ZstdLiterals(bytes, behind, table);
    }
    int part = (size + 3) / 4;
    need(3 * part <= size, "the length of literals");
    int from = at + 6;
    for (int i = 0; i < 4; ++i) {
      int to = i == 3 ? behind : from + view.u16(at + 2 * i);
      need(from <= to && to <= behind, "the streams of literals");
      table.decode(new BackwardBits(in, from, to), bytes, i * part, i == 3 ? size : (i + 1) * part);
      from = to;
    }
    return new ZstdLiterals(bytes, behind, table);
  }
}
