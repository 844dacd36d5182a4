// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.List;

/** What a file covers: a name, and a range of unsigned numbers with both ends (exact.md, "Coverage"). */
record Covered(String name, long low, long high) {
  /** Those that a file names; none: it covers everything. */
  static List<Covered> of(Container file) throws RefusedException {
    List<Covered> all = new ArrayList<>();
    String text = file.metadata().getOrDefault("crivo.covers", "");
    for (String one : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      need(one.matches("[^=]+=[0-9]+:[0-9]+"), "what it covers");
      int equals = one.indexOf('=');
      int colon = one.indexOf(':', equals);
      try {
        all.add(new Covered(one.substring(0, equals), Long.parseUnsignedLong(one.substring(equals + 1, colon)),
            Long.parseUnsignedLong(one.substring(colon + 1))));
      } catch (NumberFormatException e) {
        need(false, "what it covers");
      }
      Covered last = all.get(all.size() - 1);
      need(Long.compareUnsigned(last.low(), last.high()) <= 0, "what it covers");
    }
    return all;
  }

  boolean includes(String epoch, long value) {
    return name.equals(epoch) && Long.compareUnsigned(low, value) <= 0 && Long.compareUnsigned(value, high) <= 0;
  }
}
