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
  private final long first; // bytes of the first list
  private final long second; // of the one above it, or 0

  /** `sums` is section 4 of a file, whose header is so long and whose sections end at `end`. */
  PageSums(Bytes file, long end, Bytes sums, long alignment) throws RefusedException {
    need(end > HashTree.CHUNK, "page sums of a file of one chunk");
    this.file = file;
    this.end = end;
    this.sums = sums;
    first = 4 * Bits.ceilDiv(end, PAGE);
    second = first <= PAGE ? 0 : 4 * Bits.ceilDiv(first, PAGE);
    need(sums.length() == first + second && alignment >= (second == 0 ? 64 : PAGE), "the number of page sums");
  }

  /** Compares all lists and pages, but those of records alone; `check` is that of the last list. */
  void verify(long check, LongPredicate isOfRecords) throws RefusedException {
    need(Xxh.hash64(second == 0 ? sums : sums.slice(first, second), 0) == check, "the check of page sums");
    for (long piece = 0; piece < second / 4; ++piece) {
      long at = piece * PAGE;
      need(Crc32c.of(sums.slice(at, Math.min(PAGE, first - at)), piece) == sums.u32(first + 4 * piece),
          "a piece of page sums");
    }
    for (long page = 0; page < first / 4; ++page) {
      long begin = page == 0 ? Container.HEADER : page * PAGE;
      need(isOfRecords.test(page)
          || Crc32c.of(file.slice(begin, Math.min((page + 1) * PAGE, end) - begin), page) == sums.u32(4 * page), "a page");
    }
  }
}
