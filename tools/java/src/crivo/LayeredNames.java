// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** The names of a chain's layers, of files or groups, some of which were removed (delta.md). */
final class LayeredNames {
  private static final int MOST = 64;

  private final long[] firsts; // the number of the first name of each layer, and of all
  private final Bytes removed; // a bit a name, behind their number; null: none is

  /** Of one file, which has no chain. */
  LayeredNames(long count) {
    firsts = new long[] {0, count};
    removed = null;
  }

  /** Those of a chain, which its files must come to, each with so many names. */
  LayeredNames(Container chain, List<Container> files, Bytes state, ToLongFunction<Integer> counts) throws RefusedException {
    need(files.size() <= MOST, "the number of layers");
    Bytes reached = null;
    long keys = 0;
    firsts = new long[files.size() + 1];
    for (int i = 0; i < files.size(); ++i) {
      Container file = files.get(i);
      need(file.seed() == chain.seed() && file.function() == chain.function(), "the hash of a layer");
      Bytes digest = Bytes.of(file.rawDigest());
      reached = reached == null ? digest : Bytes.of(HashTree.sha256(reached, digest));
      keys += file.keys();
      firsts[i + 1] = firsts[i] + counts.applyAsLong(i);
    }
    need(Arrays.equals(reached.copy(), state.copy()), "the state of the chain");
    need(keys == chain.keys(), "n of the chain");
    long all = firsts[files.size()];
    removed = chain.section(130);
    need(removed != null && removed.u64(0) == all && removed.length() == 8 + Bits.ceilDiv(all, 8), "the removed names");
    removed.zeroBits(64 + all, removed.length());
  }

  /** Whether a layer's name is there no more. */
  boolean isRemoved(int layer, long number) {
    long name = firsts[layer] + number;
    return removed != null && (removed.u8(8 + name / 8) >> (int) (name % 8) & 1) != 0;
  }
}
