// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A filter for each of some groups, in either layout (filterset.md). */
abstract class GroupFilters {
  private static final long BLOCKS = 118;
  private static final int PER_PLACE = 32;

  private final List<byte[]> names = new ArrayList<>();

  static GroupFilters open(Bytes data, Bytes filters) throws RefusedException {
    return data.u32(0) == BLOCKS ? new FilterBlocks(data, filters) : new FilterSet(data, filters);
  }

  /** Whether a group, by its number, may hold a key. */
  abstract boolean mayContain(int group, long hi);

  final int groups() {
    return names.size();
  }

  final byte[] name(int group) {
    return names.get(group);
  }

  /** Reads the names of so many groups, from `begin` to the end; an entry of so many bytes says where each 32nd begins. */
  final void readNames(Bytes data, long groups, long places, int entryBytes, long begin) throws RefusedException {
    long at = begin;
    for (int i = 0; i < groups; ++i) {
      need(i % PER_PLACE != 0 || data.u64(places + (long) i / PER_PLACE * entryBytes) == at - begin, "a place of groups");
      need(at < data.length() && at + 1 + data.u8(at) <= data.length(), "the name of a group");
      byte[] name = data.slice(at + 1, data.u8(at)).copy();
      need(name.length != 0 && (i == 0 || Arrays.compareUnsigned(names.get(i - 1), name) < 0), "the name of a group");
      for (byte each : name) {
        need(each != 0 && each != '\t' && each != '\n', "the name of a group");
      }
      names.add(name);
      at += 1 + name.length;
    }
    need(at == data.length(), "the names of the groups");
  }
}
