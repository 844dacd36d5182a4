// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;

/** The data file of a flat store: flat.md. */
final class Flat implements Records {
  private final Container file;
  private final Container index;
  private final SlottedUnits records;
  private final Dictionary keys; // of an ordered store; otherwise null
  private final long n;

  Flat(Bytes data, Container index, Slots slots, Dictionary keys) throws RefusedException {
    file = new Container(data);
    this.index = index;
    this.keys = keys;
    need(file.kind() == Kind.RECORDS && file.section(67) != null, "no records of a store");
    n = index.keys();
    need(file.keys() == n && file.seed() == index.recordsSeed(), "n or the seed of the records");
    need(Arrays.equals(file.bytes(80, 16).copy(), index.bytes(80, 16).copy()), "the content id of the records");
    records = new SlottedUnits(slots, file.section(67));
  }

  Container file() {
    return file;
  }

  @Override
  public Codec.Pair pair(long rank, Codec codec) throws RefusedException {
    if (keys == null) {
      return records.pair(rank, codec, false);
    }
    byte[] key = keys.key(rank);
    KeyHash hash = index.hash(key);
    need(records.slots().has(rank, hash.hi(), hash.lo()), "the record of another key");
    Codec.Pair pair = records.pair(rank, codec, false, codec.isByRecord() ? hash.hi() : 0);
    need(pair.key().length == 0, "a key in a unit of an ordered store");
    return new Codec.Pair(key, pair.record());
  }

  @Override
  public void verify(Codec codec, Index store) throws RefusedException {
    file.verify();
    Hash128 units = new Hash128();
    units.add(records.units());
    index.checkContentId(units);
    if (keys != null) {
      for (long rank = 0; rank < n; ++rank) {
        pair(rank, codec);
      }
      return;
    }
    for (long rank = 0; rank < n; ) {
      long first = rank;
      for (Codec.Pair pair : codec.pairs(records.unit(first), first, false)) {
        need(rank < n && (rank == first || records.isMember(rank)), "the records of a unit");
        need(store.rank(pair.key()).orElse(-1) == rank, "a key at another's rank");
        ++rank;
      }
      need(rank > first && (rank == n || !records.isMember(rank)), "the records of a unit");
    }
  }
}
