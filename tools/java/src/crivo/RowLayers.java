// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** The layers of a chain of indexes of rows, or one such index (rows.md). */
final class RowLayers {
  private record Layer(RowFiles files, RowLists lists, StaticFunction function, Filter signatures) {
    Layer(Structures index) {
      this(index.rowFiles(), index.rowLists(), index.function(), index.filter());
    }

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
  private final LayeredNames names;
  private final boolean hasNumbers;

  /** One index. */
  RowLayers(Container file, Structures index) throws RefusedException {
    layers.add(new Layer(index));
    hasNumbers = hasNumbers(file);
    names = new LayeredNames(index.rowFiles().count());
  }

  /** Those of a chain, whose state they come to. */
  RowLayers(Container chain, List<Container> files, Bytes state) throws RefusedException {
    for (Container file : files) {
      layers.add(new Layer(new Structures(file, file)));
    }
    names = new LayeredNames(chain, files, state, layer -> layers.get(layer).files.count());
    hasNumbers = !files.isEmpty() && hasNumbers(files.get(0));
  }

  private static boolean hasNumbers(Container file) throws RefusedException {
    return "8".equals(file.metadata().get("crivo.fixed"));
  }

  /** Whether keys are 64-bit numbers, of which all layers agree. */
  boolean hasNumbers() {
    return hasNumbers;
  }

  /** All rows of a key, those of the newest layer first. */
  List<Row> rows(KeyHash hash) {
    List<Row> rows = new ArrayList<>();
    for (int i = layers.size() - 1; i >= 0; --i) {
      int number = i;
      Layer layer = layers.get(i);
      layer.numbers(hash).forEach(row -> {
        OptionalLong file = layer.files.fileOf(row);
        if (file.isPresent() && !names.isRemoved(number, file.getAsLong())) {
          rows.add(layer.files.place(row).orElseThrow());
        }
      });
    }
    return rows;
  }
}
