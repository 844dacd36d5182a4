// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.Arrays;

/** Filters that answer as one: sections 37 with the tags 0, 1, ... (cuckoo.md, "Layers"), or a base with what deltas add. */
final class Layers implements Filter {
  private final Filter[] layers;

  Layers(Filter[] layers) {
    this.layers = layers;
  }

  @Override
  public long keys() {
    return Arrays.stream(layers).mapToLong(Filter::keys).sum();
  }

  @Override
  public boolean mayContain(long hi, long lo) {
    for (Filter layer : layers) {
      if (layer.mayContain(hi, lo)) {
        return true;
      }
    }
    return false;
  }
}
