// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;

/** Decodes zstd frames of a store's blocks, which one dictionary may serve: RFC 8878. For one thread at a time. */
final class Zstd {
  private static final int FRAME = 0xfd2fb528;
  private static final int DICTIONARY = 0xec30a437;
  private static final int MOST_BLOCK = 128 << 10;

  private static final int[] LITERALS_USUAL = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3,
      2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
  private static final int[] MATCHES_USUAL = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
  private static final int[] OFFSETS_USUAL = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1,
      -1, -1, -1};
  private static final int[] LITERALS_BITS = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6,
      7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final int[] MATCHES_BITS = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final int[] LITERALS_BASE = bases(LITERALS_BITS, 0);
  private static final int[] MATCHES_BASE = bases(MATCHES_BITS, 3);

  /** What decodes the blocks of a frame, and is kept from one to the next. */
  private record Tables(Huffman literals, Fse lengths, Fse offsets, Fse matches) {}

  private final byte[] content; // of the dictionary: what precedes every frame
  private final Tables tables;
  private final int[] repeats;

  // The frame at hand:
  private byte[] out; // behind the content
  private int size;
  private long most;
  private Tables now;
  private int[] offsets;

  /** Without a dictionary it is empty. */
  Zstd(byte[] dictionary) throws RefusedException {
    if (dictionary.length < 8 || Bytes.of(dictionary).u32(0) != (DICTIONARY & 0xffffffffL)) {
      content = dictionary;
      tables = new Tables(null, null, null, null);
      repeats = new int[] {1, 4, 8};
      return;
    }
    ForwardBits in = new ForwardBits(dictionary, 8, dictionary.length);
    Huffman literals = Huffman.read(in);
    Fse offsetTable = Fse.read(in, 8, OFFSETS_USUAL.length + 3);
    Fse matches = Fse.read(in, 9, MATCHES_BITS.length);
    Fse lengths = Fse.read(in, 9, LITERALS_BITS.length);
    tables = new Tables(literals, lengths, offsetTable, matches);
    int at = in.at();
    repeats = new int[3];
    content = Arrays.copyOfRange(dictionary, at + 12, Math.max(dictionary.length, at + 12));
    need(at + 12 <= dictionary.length, "the dictionary is cut off");
    for (int i = 0; i < 3; ++i) {
      long repeat = Bytes.of(dictionary).u32(at + 4L * i);
      need(repeat > 0 && repeat <= content.length, "the dictionary's offsets");
      repeats[i] = (int) repeat;
    }
  }

  /** The content of a frame, of at most so many bytes. */
  synchronized byte[] decode(byte[] frame, long longest) throws RefusedException {
    Bytes in = Bytes.of(frame);
    need(frame.length >= 5 && in.u32(0) == (FRAME & 0xffffffffL), "the magic number of a frame");
    int descriptor = in.u8(4);
    boolean single = (descriptor >> 5 & 1) != 0;
    need((descriptor & 15) == 0, "the header of a frame");
    int sizeBytes = descriptor >> 6 == 0 ? (single ? 1 : 0) : 1 << (descriptor >> 6);
    int at = single ? 5 : 6;
    long stated = in.number(at, sizeBytes) + (sizeBytes == 2 ? 256 : 0);
    need(sizeBytes == 0 || stated >= 0 && stated <= longest, "the length of a frame");
    most = sizeBytes == 0 ? longest : stated;
    at += sizeBytes;
    size = content.length;
    out = Arrays.copyOf(content, size + (int) Math.min(most, MOST_BLOCK));
    now = tables;
    offsets = repeats.clone();
    for (boolean last = false; !last; ) {
      int header = (int) in.number(at, 3);
      int length = header >> 3;
      last = (header & 1) != 0;
      at += 3;
      need(length <= MOST_BLOCK, "the length of a block");
      switch (header >> 1 & 3) {
        case 0 -> {
          append(frame, at, length);
          at += length;
        }
        case 1 -> {
          reserve(length);
          Arrays.fill(out, size, size + length, frame[at++]);
          size += length;
        }
        case 2 -> {
          need(length >= 2 && length <= frame.length - at, "a block is cut off");
          block(frame, at, at + length);
          at += length;
        }
        default -> throw new RefusedException(RefusedException.Why.CORRUPT, "the type of a block");
      }
    }
    need(at == frame.length, "the end of a frame");
    need(sizeBytes == 0 || size - content.length == stated, "the length of a frame");
    byte[] decoded = Arrays.copyOfRange(out, content.length, size);
    out = null;
    return decoded;
  }

  private void reserve(int more) throws RefusedException {
    need(size - content.length + (long) more <= most, "a frame is too long");
    if (more > out.length - size) {
      out = Arrays.copyOf(out, (int) Math.min(content.length + most, Math.max(2L * out.length, size + (long) more)));
    }
  }

  private void append(byte[] from, int begin, int length) throws RefusedException {
    reserve(length);
    System.arraycopy(from, begin, out, size, length);
    size += length;
  }

  private void block(byte[] in, int at, int end) throws RefusedException {
    ZstdLiterals literals = ZstdLiterals.read(in, at, end, now.literals());
    at = literals.end();
    now = new Tables(literals.table(), now.lengths(), now.offsets(), now.matches());
    int sequences = in[at++] & 0xff;
    if (sequences == 255) {
      sequences = (int) Bytes.of(in).number(at, 2) + 0x7f00;
      at += 2;
    } else if (sequences >= 128) {
      sequences = (sequences - 128 << 8) + (in[at++] & 0xff);
    }
    int used = 0;
    if (sequences != 0) {
      int modes = in[at++] & 0xff;
      need((modes & 3) == 0, "the modes of a block");
      ForwardBits head = new ForwardBits(in, at, end);
      Fse lengths = table(modes >> 6, head, now.lengths(), LITERALS_USUAL, 6, 9, LITERALS_BITS.length);
      Fse places = table(modes >> 4 & 3, head, now.offsets(), OFFSETS_USUAL, 5, 8, OFFSETS_USUAL.length + 3);
      Fse matches = table(modes >> 2 & 3, head, now.matches(), MATCHES_USUAL, 6, 9, MATCHES_BITS.length);
      now = new Tables(now.literals(), lengths, places, matches);
      used = run(sequences, new BackwardBits(in, head.at(), end), literals.bytes());
    } else {
      need(at == end, "the end of a block");
    }
    append(literals.bytes(), used, literals.bytes().length - used);
  }

  /** Carries out the sequences; how many literals they use. */
  private int run(int sequences, BackwardBits in, byte[] literals) throws RefusedException {
    Fse.State length = new Fse.State(now.lengths(), in);
    Fse.State place = new Fse.State(now.offsets(), in);
    Fse.State match = new Fse.State(now.matches(), in);
    int used = 0;
    for (int i = 0; i < sequences; ++i) {
      int code = place.symbol();
      need(code <= 31, "an offset");
      long value = (1L << code) + in.read(code);
      int matched = MATCHES_BASE[match.symbol()] + in.read(MATCHES_BITS[match.symbol()]);
      int copied = LITERALS_BASE[length.symbol()] + in.read(LITERALS_BITS[length.symbol()]);
      if (i + 1 < sequences) {
        length.next(in);
        match.next(in);
        place.next(in);
      }
      long offset = offset(value, copied == 0);
      need(copied <= literals.length - used, "the literals of a block");
      append(literals, used, copied);
      used += copied;
      need(offset > 0 && offset <= size, "an offset");
      reserve(matched);
      for (int from = size - (int) offset; matched > 0; --matched) {
        out[size++] = out[from++];
      }
    }
    need(in.isAtEnd(), "the end of a block");
    return used;
  }

  private long offset(long value, boolean withoutLiterals) {
    long offset;
    int which = 3; // of the last offsets; 3: none
    if (value > 3) {
      offset = value - 3;
    } else {
      which = (int) value - (withoutLiterals ? 0 : 1);
      offset = which == 3 ? offsets[0] - 1L : offsets[which];
    }
    if (which >= 2) {
      offsets[2] = offsets[1];
    }
    if (which >= 1) {
      offsets[1] = offsets[0];
    }
    offsets[0] = (int) Math.min(offset, Integer.MAX_VALUE);
    return offset;
  }

  private static Fse table(int mode, ForwardBits in, Fse before, int[] usual, int usualLog, int mostLog, int symbols)
      throws RefusedException {
    switch (mode) {
      case 0:
        return new Fse(usual, usualLog);
      case 1:
        int symbol = in.read(8);
        need(symbol < symbols, "a symbol of a block");
        return Fse.of(symbol);
      case 2:
        return Fse.read(in, mostLog, symbols);
      default:
        need(before != null, "a table of a block");
        return before;
    }
  }

  /** The least value of each code, where the first code has this one, and each as many as its bits say. */
  private static int[] bases(int[] bits, int first) {
    int[] bases = new int[bits.length];
    for (int i = 0; i < bits.length; ++i) {
      bases[i] = first;
      first += 1 << bits[i];
    }
    return bases;
  }
}
