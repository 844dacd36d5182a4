// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** The layers of a chain of indexes of rows, or one such index (rows.md). */
final class RowLayers {
  private static final int MOST = 64;

  private record Layer(RowFiles files, RowLists lists, StaticFunction function, Filter signatures, long firstFile) {
    LongStream numbers(KeyHash hash) {
      if (lists != null) {
        return LongStream.of(lists.numbers(hash.hi(), hash.lo()));
      }
      if (function.keys() == 0 || signatures != null && !signatures.mayContain(hash.hi(), hash.lo())) {
        return LongStream.empty();
      }
      return LongStream.of(function.value(hash.hi(), hash.lo()));
    }
  }

  private final List<Layer> layers = new ArrayList<>();
  private Bytes removed; // a bit a file, behind their number; null: none is

  /** One index. */
  RowLayers(Structures index) {
    add(index);
  }

  /** Those of a chain, whose state they come to. */
  RowLayers(Container chain, List<Container> files, Bytes state) throws RefusedException {
    need(files.size() <= MOST, "the number of layers");
    Bytes reached = null;
    long keys = 0;
    for (Container file : files) {
      need(file.seed() == chain.seed() && file.function() == chain.function(), "the hash of a layer");
      add(new Structures(file, file));
      Bytes digest = Bytes.of(file.rawDigest());
      reached = reached == null ? digest : Bytes.of(HashTree.sha256(reached, digest));
      keys += file.keys();
    }
    need(Arrays.equals(reached.copy(), state.copy()), "the state of the chain");
    need(keys == chain.keys(), "n of the chain");
    Layer last = layers.get(layers.size() - 1);
    long all = last.firstFile + last.files.count();
    removed = chain.section(130);
    need(removed != null && removed.u64(0) == all && removed.length() == 8 + Bits.ceilDiv(all, 8), "the removed files");
    removed.zeroBits(64 + all, removed.length());
  }

  private void add(Structures index) {
    Layer last = layers.isEmpty() ? null : layers.get(layers.size() - 1);
    long first = last == null ? 0 : last.firstFile + last.files.count();
    layers.add(new Layer(index.rowFiles(), index.rowLists(), index.function(), index.filter(), first));
  }

  private boolean isRemoved(long file) {
    return removed != null && (removed.u8(8 + file / 8) >> (int) (file % 8) & 1) != 0;
  }

  /** All rows of a key, those of the newest layer first. */
  List<Row> rows(KeyHash hash) {
    List<Row> rows = new ArrayList<>();
    for (int i = layers.size() - 1; i >= 0; --i) {
      Layer layer = layers.get(i);
      layer.numbers(hash).forEach(number -> {
        OptionalLong file = layer.files.fileOf(number);
        if (file.isPresent() && !isRemoved(layer.firstFile + file.getAsLong())) {
          rows.add(layer.files.place(number).orElseThrow());
        }
      });
    }
    return rows;
  }
}
