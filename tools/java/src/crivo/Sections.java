// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.List;

/** Where the structures of an index are: in the sections of its file, or in those that a manifest makes of parts. */
interface Sections {
  /** Of the index. */
  Kind kind();

  /** The types below 80000000 that there are, each as often as there are sections of it. */
  List<Integer> types();

  /** The bytes of a section; null if there is none of the type and tag. */
  Bytes section(long type, long tag);

  default Bytes section(long type) {
    return section(type, 0);
  }
}
