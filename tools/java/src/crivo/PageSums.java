// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.function.LongPredicate;

/** The sums of a file's pages, up to the end of its other sections: crivo-1.md, "Page sums". */
final class PageSums {
  static final int PAGE = 4096;

  private final Bytes file;
  private final long end;
  private final Bytes sums;
  private final long check; // of the last list
  private final LongPredicate isOfRecords; // a page of nothing else
  private final long first; // bytes of the first list
  private final long second; // of the one above it, or 0
  // A bit a page, and a piece of the first list, that was compared. Threads that write a word at once lose a bit, and
  // compare again.
  private final long[] pages;
  private final long[] pieces;
  private boolean isChecked; // the last list

  /** `sums` is section 4 of a file, whose other sections end at `end`. */
  PageSums(Bytes file, long end, Bytes sums, long alignment, long check, LongPredicate isOfRecords) throws RefusedException {
    need(end > HashTree.CHUNK, "page sums of a file of one chunk");
    this.file = file;
    this.end = end;
    this.sums = sums;
    this.check = check;
    this.isOfRecords = isOfRecords;
    first = 4 * Bits.ceilDiv(end, PAGE);
    second = first <= PAGE ? 0 : 4 * Bits.ceilDiv(first, PAGE);
    need(sums.length() == first + second && alignment >= (second == 0 ? 64 : PAGE), "the number of page sums");
    pages = new long[(int) Bits.ceilDiv(first / 4, 64)];
    pieces = new long[(int) Bits.ceilDiv(Math.max(second / 4, 1), 64)];
  }

  /** Compares the last list, by which the others are compared. */
  void checkList() throws RefusedException {
    need(Xxh.hash64(second == 0 ? sums : sums.slice(first, second), 0) == check, "the check of page sums");
    isChecked = true;
  }

  /** Compares all lists and pages. */
  void verify() throws RefusedException {
    checkList();
    for (long piece = 0; piece < second / 4; ++piece) {
      need(hasSum(piece), "a piece of page sums");
    }
    for (long page = 0; page < first / 4; ++page) {
      need(isSound(page), "a page");
    }
  }

  /** Compares the pages of some bytes of the file that were not compared yet, if checkList() was called. */
  void touch(long at, long size) {
    long last = at + size - 1 >> 12;
    for (long page = at >> 12; page <= last; ++page) {
      if (page < first / 4 && !has(pages, page)) {
        compare(page);
      }
    }
  }

  private void compare(long page) {
    if (!isChecked) {
      return;
    }
    long piece = page * 4 / PAGE;
    if (second != 0 && !has(pieces, piece)) {
      if (!hasSum(piece)) {
        throw new DamagedException(page);
      }
      set(pieces, piece);
    }
    if (!isSound(page)) {
      throw new DamagedException(page);
    }
    set(pages, page);
  }

  private boolean hasSum(long piece) {
    long at = piece * PAGE;
    return Crc32c.of(sums.slice(at, Math.min(PAGE, first - at)), piece) == sums.u32(first + 4 * piece);
  }

  private boolean isSound(long page) {
    long begin = page == 0 ? Container.HEADER : page * PAGE;
    return isOfRecords.test(page)
        || Crc32c.of(file.slice(begin, Math.min((page + 1) * PAGE, end) - begin), page) == sums.u32(4 * page);
  }

  private static boolean has(long[] bits, long number) {
    return (bits[(int) (number >>> 6)] >>> number & 1) != 0;
  }

  private static void set(long[] bits, long number) {
    bits[(int) (number >>> 6)] |= 1L << number;
  }
}
