// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;
import java.util.List;

/** The data file of a flat store: flat.md. */
final class Flat implements Records {
  private final Container file;
  private final Container index;
  private final Slots slots;
  private final Bytes units;
  private final long n;

  Flat(Bytes data, Container index, Slots slots) throws RefusedException {
    file = new Container(data);
    this.index = index;
    this.slots = slots;
    need(file.kind() == Kind.RECORDS && file.section(67) != null, "no records of a store");
    n = index.keys();
    need(file.keys() == n && file.seed() == index.seed(), "n or the seed of the records");
    need(Arrays.equals(file.bytes(80, 16).copy(), index.bytes(80, 16).copy()), "the content id of the records");
    units = file.section(67);
  }

  Container file() {
    return file;
  }

  @Override
  public Codec.Pair pair(long rank, Codec codec) throws RefusedException {
    long first = rank;
    while (isMember(first)) {
      need(--first >= 0, "the entry of a rank");
    }
    List<Codec.Pair> pairs = codec.pairs(unit(first), first);
    need(rank - first < pairs.size(), "the records of a unit");
    return pairs.get((int) (rank - first));
  }

  /** Whether the rank belongs to the unit of the rank before. */
  private boolean isMember(long rank) throws RefusedException {
    return slots.end(rank) == slots.begin(rank);
  }

  /** The unit that begins with a rank. */
  private Bytes unit(long rank) throws RefusedException {
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

  @Override
  public void verify(Codec codec, Index store) throws RefusedException {
    file.verify();
    Hash128 records = new Hash128();
    records.add(units);
    index.checkContentId(records);
    for (long rank = 0; rank < n; ) {
      long first = rank;
      for (Codec.Pair pair : codec.pairs(unit(first), first)) {
        need(rank < n && (rank == first || isMember(rank)), "the records of a unit");
        need(store.rank(pair.key()).orElse(-1) == rank, "a key at another's rank");
        ++rank;
      }
      need(rank > first && (rank == n || !isMember(rank)), "the records of a unit");
    }
  }
}
