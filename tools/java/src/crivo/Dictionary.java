// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;

/** Keys in byte order, and their ranks (formats/dictionary.md). */
final class Dictionary {
  private static final int PADDING = 64;
  private static final int FANOUT = 32;
  private static final int SLICES = 2; // a form of nodes
  private static final int VALUES_HEAD = 16; // bytes of a block
  private static final int MOST_PACKED = 56; // bits of a value; wider ones have 64

  private final long n;
  private final int blockKeys;
  private final int width;
  private final int offsetBytes;
  private final int longest;
  private final long count; // of blocks
  private final long blockBytes;
  private final long nodeBytes;
  private final Bytes offsets;
  private final Bytes directory;
  private final Bytes blocks;
  private final byte[][] tokens;
  private final Bytes values; // null: none
  private final long[] levels; // where the nodes of each begin, the root's first, and where the last end

  /** Without values these are null. */
  Dictionary(Bytes head, Bytes tokens, Bytes offsets, Bytes directory, Bytes blocks, Bytes values)
      throws RefusedException {
    need(head.length() == 64, "the length of the head");
    n = head.u64(0);
    blockKeys = (int) head.u32(8);
    width = head.u16(12);
    offsetBytes = head.u16(14);
    need(head.u64(16) >= 0 && head.u64(16) <= 1 << 20, "the longest key");
    longest = (int) head.u64(16);
    blockBytes = head.u64(24);
    nodeBytes = head.u64(32);
    head.zero(40, 64);
    need(blockKeys >= 16 && blockKeys <= 256 && (width == 8 || width == 10 || width == 12)
        && (offsetBytes == 2 || offsetBytes == 4 || offsetBytes == 8), "the head");
    count = Long.divideUnsigned(n, blockKeys) + (Long.remainderUnsigned(n, blockKeys) == 0 ? 0 : 1);
    need(count < offsets.length(), "the offsets");
    need(offsets.length() == 8 * (count / 16 + 1) + offsetBytes * (count + 1), "the length of the offsets");
    need(blocks.length() >= PADDING && blockBytes == blocks.length() - PADDING, "the length of the blocks");
    this.offsets = offsets;
    this.directory = directory;
    this.blocks = blocks;
    this.tokens = tokens(tokens, width);
    levels = levels(count);
    long nodes = levels[levels.length - 1];
    need(directory.length() >= 8 * (nodes + 1) + PADDING
        && nodeBytes == directory.length() - 8 * (nodes + 1) - PADDING, "the length of the directory");
    this.values = values;
    need(values == null || values.length() >= VALUES_HEAD * count + 8, "the values");
  }

  private static byte[][] tokens(Bytes data, int width) throws RefusedException {
    long count = data.u32(0);
    need(count <= 1 << width, "the number of tokens");
    byte[][] tokens = new byte[1 << width][0];
    long at = 4 + (count + 1) / 2;
    for (int i = 0; i < count; ++i) {
      int size = (data.u8(4 + i / 2) >> i % 2 * 4 & 15) + 1;
      tokens[i] = data.slice(at, size).copy();
      at += size;
    }
    need(at == data.length() && (count % 2 == 0 || data.u8(4 + count / 2) < 16), "the tokens");
    return tokens;
  }

  private static long[] levels(long blocks) {
    long[] sizes = new long[14];
    int found = 0;
    for (long level = blocks; level > 1; ++found) {
      level = Bits.ceilDiv(level, FANOUT);
      sizes[found] = level;
    }
    long[] begins = new long[found + 1];
    for (int i = 0; i < found; ++i) {
      begins[i + 1] = begins[i] + sizes[found - 1 - i];
    }
    return begins;
  }

  long keys() {
    return n;
  }

  /** The rank of a key, if it is there. */
  OptionalLong id(byte[] key) throws RefusedException {
    if (n == 0) {
      return OptionalLong.empty();
    }
    long block = blockOf(key);
    byte[][] keys = keys(block);
    for (int i = 0; i < keys.length; ++i) {
      if (Arrays.equals(keys[i], key)) {
        return OptionalLong.of(block * blockKeys + i);
      }
    }
    return OptionalLong.empty();
  }

  /** The key of a rank below n. */
  byte[] key(long id) throws RefusedException {
    return keys(id / blockKeys)[(int) (id % blockKeys)];
  }

  /** Whether a number stands beside each key. */
  boolean hasValues() {
    return values != null;
  }

  /** The number beside the key of a rank below n, as it is kept. */
  long value(long id) throws RefusedException {
    long head = VALUES_HEAD * (id / blockKeys);
    int width = values.u8(head + 8);
    long begin = values.u64(head + 8) >>> 8;
    need(width <= MOST_PACKED || width == 64, "the width of values");
    long bit = id % blockKeys * width;
    long packed = values.length() - VALUES_HEAD * count - 8;
    need(begin <= packed && Bits.ceilDiv(bit + width, 8) <= packed - begin, "a value");
    long at = VALUES_HEAD * count + begin;
    return values.u64(head) + (width == 64 ? values.u64(at + bit / 8) : values.bits(8 * at + bit, width));
  }

  /** That the values of each block stand behind those of the one before. */
  private void verifyValues() throws RefusedException {
    long end = 0;
    for (long block = 0; block < count; ++block) {
      long head = VALUES_HEAD * block;
      need(values.u64(head + 8) >>> 8 == end, "where values begin");
      value(Math.min(n, (block + 1) * blockKeys) - 1);
      end += Bits.ceilDiv(Math.min(blockKeys, n - block * blockKeys) * values.u8(head + 8), 8);
    }
    need(VALUES_HEAD * count + end + 8 == values.length(), "the length of the values");
  }

  /** That keys ascend, and the directory leads to each block. */
  void verify() throws RefusedException {
    if (values != null) {
      verifyValues();
    }
    byte[] before = null;
    for (long block = 0; block < count; ++block) {
      byte[][] keys = keys(block);
      for (byte[] key : keys) {
        need(before == null || Arrays.compareUnsigned(before, key) < 0, "keys that do not ascend");
        before = key;
      }
      need(blockOf(keys[0]) == block && blockOf(before) == block, "the directory");
    }
  }

  private long blockOf(byte[] key) throws RefusedException {
    long child = 0;
    for (int level = 0; level + 1 < levels.length; ++level) {
      child = FANOUT * child + textsBelow(levels[level] + child, key);
    }
    return Math.min(child, count - 1);
  }

  /** How many texts of a node are at or below the key. */
  private int textsBelow(long node, byte[] key) throws RefusedException {
    long begin = directory.u64(8 * node);
    long end = directory.u64(8 * node + 8);
    need(begin >= 0 && begin <= end && end <= nodeBytes && end - begin >= 4, "a node");
    Bytes data = directory.slice(8 * (levels[levels.length - 1] + 1) + begin, end - begin);
    int texts = data.u8(2);
    if (data.u8(3) == SLICES) {
      return slicesBelow(data, texts, key);
    }
    boolean wide = data.u8(3) != 0;
    int sharedBytes = wide ? 4 : 1;
    int endBytes = wide ? 4 : 2;
    long skip = wide ? data.u32(4) : data.u16(0);
    long at = wide ? 8 : 4;
    long firsts = at + sharedBytes * texts;
    long rests = firsts + (1 + endBytes) * texts;
    need(texts < FANOUT && rests <= data.length(), "a node");
    byte[] sought = Arrays.copyOfRange(key, (int) Math.min(skip, key.length), key.length);
    byte[] text = {};
    long from = 0;
    int below = 0;
    for (int i = 0; i < texts; ++i) {
      long shared = data.number(at + sharedBytes * i, sharedBytes);
      long to = data.number(firsts + texts + endBytes * i, endBytes);
      need(shared <= text.length && from <= to && to <= data.length() - rests, "a text of a node");
      byte[] next = Arrays.copyOf(text, (int) (shared + 1 + to - from));
      next[(int) shared] = (byte) data.u8(firsts + i);
      System.arraycopy(data.slice(rests + from, to - from).copy(), 0, next, (int) shared + 1, (int) (to - from));
      text = next;
      from = to;
      below += Arrays.compareUnsigned(text, sought) <= 0 ? 1 : 0;
    }
    return below;
  }

  /** The same of a node that has the first 8 bytes of each text as a big-endian number, with zeros behind. */
  private static int slicesBelow(Bytes data, int texts, byte[] key) throws RefusedException {
    long tails = 4 + 9L * texts;
    need(texts < FANOUT && tails <= data.length(), "a node");
    int skip = Math.min(data.u16(0), key.length);
    byte[] sought = Arrays.copyOfRange(key, skip, key.length);
    long from = 0;
    int below = 0;
    for (int i = 0; i < texts; ++i) {
      long to = data.u8(4 + 8L * texts + i);
      need(from <= to && to <= data.length() - tails, "a text of a node");
      byte[] slice = ByteBuffer.allocate(8).putLong(data.u64(4 + 8L * i)).array();
      int size = 8;
      while (size > 0 && slice[size - 1] == 0) {
        --size;
      }
      byte[] text = Arrays.copyOf(slice, size + (int) (to - from));
      System.arraycopy(data.slice(tails + from, to - from).copy(), 0, text, size, (int) (to - from));
      below += Arrays.compareUnsigned(text, sought) <= 0 ? 1 : 0;
      from = to;
    }
    return below;
  }

  private long offset(long block) {
    return offsets.u64(8 * (block / 16)) + offsets.number(8 * (count / 16 + 1) + offsetBytes * block, offsetBytes);
  }

  /** All keys of a block. */
  private byte[][] keys(long block) throws RefusedException {
    long begin = offset(block);
    long end = offset(block + 1);
    need(begin >= 0 && begin <= end && end <= blockBytes && end - begin >= 4, "a block");
    Bytes data = blocks.slice(begin, end - begin);
    int keys = (int) Math.min(blockKeys, n - block * blockKeys);
    boolean wide = data.u8(1) == 255;
    need(!wide || data.length() >= 20 && data.u8(0) == 0 && data.u16(2) == 0 && data.u16(18) == 0, "a block");
    long least = wide ? data.u32(4) : data.u8(0);
    long leastCount = wide ? data.u32(8) : data.u8(2);
    long first = wide ? data.u32(12) : data.u8(3);
    int sharedBits = wide ? data.u8(16) : data.u8(1) & 15;
    int countBits = wide ? data.u8(17) : data.u8(1) >> 4;
    int most = wide ? 32 : 8;
    need(sharedBits <= most && countBits <= most, "the widths of a block");
    long at = 8 * (wide ? 20 : 4);
    long counts = at + (long) sharedBits * (keys - 1);
    long tokensAt = Bits.roundUp(counts + (long) countBits * (keys - 1), 8);
    byte[][] all = new byte[keys][];
    byte[] room = new byte[longest];
    int size = 0;
    for (int i = 0; i < keys; ++i) {
      long shared = i == 0 ? 0 : least + data.bits(at + (long) sharedBits * (i - 1), sharedBits);
      long many = i == 0 ? first : leastCount + data.bits(counts + (long) countBits * (i - 1), countBits);
      need(shared <= size && tokensAt + many * width <= 8 * data.length(), "a key");
      size = (int) shared;
      for (long j = 0; j < many; ++j, tokensAt += width) {
        byte[] token = tokens[(int) data.bits(tokensAt, width)];
        need(token.length != 0 && token.length <= longest - size, "a token");
        System.arraycopy(token, 0, room, size, token.length);
        size += token.length;
      }
      all[i] = Arrays.copyOf(room, size);
    }
    return all;
  }
}
