// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The layers of a chain of filter sets, or one such set (filterset.md). */
final class FilterSetLayers {
  private static final int FORM_BYTES = 24;

  private record Group(GroupFilters set, int number) {}

  private final Map<byte[], Group> groups = new TreeMap<>(Arrays::compareUnsigned);

  /** One set. */
  FilterSetLayers(Structures index) throws RefusedException {
    add(index.filterSet(), 0, new LayeredNames(index.filterSet().groups()));
  }

  /** Those of a chain, whose state they come to. */
  FilterSetLayers(Container chain, List<Container> files, Bytes state) throws RefusedException {
    List<GroupFilters> sets = new ArrayList<>();
    byte[] form = null;
    for (Container file : files) {
      sets.add(new Structures(file, file).filterSet());
      byte[] own = file.section(116).slice(0, FORM_BYTES).copy();
      need(form == null || Arrays.equals(form, own), "the form of a layer");
      form = own;
    }
    LayeredNames names = new LayeredNames(chain, files, state, layer -> sets.get(layer).groups());
    for (int i = 0; i < sets.size(); ++i) {
      add(sets.get(i), i, names);
    }
  }

  private void add(GroupFilters set, int layer, LayeredNames names) throws RefusedException {
    for (int i = 0; i < set.groups(); ++i) {
      need(names.isRemoved(layer, i) || groups.put(set.name(i), new Group(set, i)) == null, "a group in two layers");
    }
  }

  /** The names of the groups that may hold a key, in order. */
  List<byte[]> groupsOf(long hi) {
    return groups.entrySet().stream().filter(one -> one.getValue().set.mayContain(one.getValue().number, hi))
        .map(one -> one.getKey().clone()).toList();
  }
}
