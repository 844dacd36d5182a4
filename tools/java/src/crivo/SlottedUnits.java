// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

/** Sections 66 and 67: flat.md. */
record SlottedUnits(Slots slots, Bytes units) {
  /** `ofPart`: of a part of a store (parts.md). */
  Codec.Pair pair(long rank, Codec codec, boolean ofPart) throws RefusedException {
    return pair(rank, codec, ofPart, 0);
  }

  /** `half` is added to the rank where the unit is checked. */
  Codec.Pair pair(long rank, Codec codec, boolean ofPart, long half) throws RefusedException {
    long first = rank;
    while (isMember(first)) {
      need(--first >= 0, "the entry of a rank");
    }
    var pairs = codec.pairs(unit(first), first + half, ofPart);
    need(rank - first < pairs.size(), "the records of a unit");
    return pairs.get((int) (rank - first));
  }

  /** Whether the rank belongs to the unit of the rank before. */
  boolean isMember(long rank) {
    return slots.end(rank) == slots.begin(rank);
  }

  /** The unit that begins with a rank. */
  Bytes unit(long rank) throws RefusedException {
    long begin = slots.begin(rank);
    long length = slots.end(rank) - begin;
    need(length > 0 && begin <= units.length() - length, "the entry of a rank");
    if (slots.isReference(rank)) {
      need(length == 16, "the length of a reference");
      length = units.u64(begin + 8);
      begin = units.u64(begin);
      need(begin >= 0 && length > 0 && length <= units.length() && begin <= units.length() - length, "a long unit");
    }
    return units.slice(begin, length);
  }
}
