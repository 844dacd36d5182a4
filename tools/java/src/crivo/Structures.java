// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.List;

/** What an index answers from, read from its sections: the parts of its kind, the others null. */
final class Structures {
  private final Sections sections;
  private final long keys;
  private final int hashFunction;
  private final boolean hasValues; // the header says so
  private Mphf mphf;
  private RankCheck check; // of an MPHF's or a store's ranks; null: there is none
  private Slots slots; // of a flat store
  private Codec codec; // of a store
  private PartRecords records; // of a store in a manifest
  private Filter filter; // of a map or rows: null where they have no signatures
  private StaticFunction function; // of a map or rows
  private RowFiles rowFiles; // of rows
  private RowLists rowLists; // of rows whose keys may have several
  private GroupFilters filterSet;
  private Exact exact;
  private Dictionary dictionary;
  private HashedIds hashedIds; // of a dictionary; null: there are none

  /** `file` has the header. Of other kinds than indexes there is nothing. */
  Structures(Container file, Sections sections) throws RefusedException {
    this.sections = sections;
    keys = file.keys();
    hashFunction = file.function();
    hasValues = file.valueType() != 0;
    switch (sections.kind()) {
      case MPHF -> readRanks(sections);
      case STORE -> {
        if (sections.section(80) == null) {
          readRanks(sections);
        } else {
          readOrdered();
        }
      }
      case FILTER -> {
        int layers = (int) sections.types().stream().filter(type -> type == 37).count();
        filter = layers > 1 ? layers(layers) : filter(only(32, 39));
        needKeys(filter.keys());
      }
      case MAP -> readFunction(sections);
      case ROWS -> {
        need(sections.section(128) != null, "no row files");
        rowFiles = new RowFiles(sections.section(128));
        if (sections.section(131) == null) {
          readFunction(sections);
        } else {
          need(sections.section(32) == null && sections.section(48) == null, "row lists beside a function");
          rowLists = new RowLists(sections.section(131));
          needKeys(rowLists.keys());
        }
      }
      case FILTER_SET -> {
        need(sections.section(116) != null && sections.section(117) != null, "the sections of a filter set");
        filterSet = GroupFilters.open(sections.section(116), sections.section(117));
      }
      case DICTIONARY -> readDictionary();
      case EXACT -> {
        need(sections.section(72) != null, "no groups");
        exact = new Exact(sections.section(72), sections.section(48), tag -> sections.section(32, tag));
        needKeys(exact.keys());
      }
      default -> { }
    }
  }

  private void readFunction(Sections sections) throws RefusedException {
    function = function(sections.section(33) != null ? only(33, 50) : only(48, 50));
    needKeys(function.keys());
    filter = sections.section(32) == null ? null : filter(32);
    if (filter != null) {
      needKeys(filter.keys());
      int width = ((Ribbon) filter).width;
      need(width == 8 || width == 16 || width == 32, "the bits of signatures");
    }
  }

  private void readRanks(Sections from) throws RefusedException {
    mphf = mphf(only(16, 21));
    needKeys(mphf.keys());
    boolean ofPapers = hashFunction != 1 && hashFunction != 6;
    need(!ofPapers || mphf instanceof Graph, "the hash function of a section");
    Bytes section = sections.section(1);
    if (section != null) {
      Signatures signatures = new Signatures(section);
      needKeys(signatures.keys());
      check = signatures;
    }
    if (from instanceof Served served && sections.section(114) != null) {
      need(check == null, "two kinds of signatures");
      check = new PartSignatures(served.byTag(107), sections.section(114), keys);
    }
    if (sections.kind() == Kind.STORE) {
      need(sections.section(65) != null, "the sections of a store");
      codec = new Codec(sections.section(65));
      if (from instanceof Served served) {
        need(sections.section(115) != null, "the sections of a store");
        records = new PartRecords(served, keys, served.parts());
        check = check == null ? records : check;
      } else {
        readSlots();
      }
    }
  }

  private void readOrdered() throws RefusedException {
    need(sections.types().stream().noneMatch(type -> type == 1 || type >= 16 && type <= 31), "a function and a dictionary");
    need((hashFunction == 1 || hashFunction == 6) && sections.section(66) != null, "the sections of an ordered store");
    readDictionary();
    need(sections.section(65) != null, "the sections of a store");
    codec = new Codec(sections.section(65));
    readSlots();
  }

  private void readSlots() throws RefusedException {
    Bytes flat = sections.section(66);
    need((flat == null) == (sections.section(64) != null) && (flat == null || check == null), "the sections of a store");
    if (flat != null) {
      slots = new Slots(flat, keys);
      check = slots;
    }
  }

  private void readDictionary() throws RefusedException {
    need((sections.section(85) != null) == hasValues, "the values of a dictionary");
    for (int type = 80; type <= 84; ++type) {
      need(sections.section(type) != null, "the sections of a dictionary");
    }
    dictionary = new Dictionary(sections.section(80), sections.section(81), sections.section(82),
        sections.section(83), sections.section(84), sections.section(85));
    needKeys(dictionary.keys());
    need((sections.section(86) == null) == (sections.section(16) == null), "an MPHF or hashed ids alone");
    if (sections.section(86) != null) {
      hashedIds = new HashedIds(mphf(16), sections.section(86));
      needKeys(hashedIds.keys());
    }
  }

  private void needKeys(long found) throws RefusedException {
    need(found == keys, "the header and a section disagree on n");
  }

  /** The one type from `first` to `last` that there is. */
  private int only(int first, int last) throws RefusedException {
    List<Integer> types = sections.types().stream().filter(type -> type >= first && type <= last).toList();
    need(types.size() == 1, "the number of its structures");
    return types.get(0);
  }

  private Mphf mphf(int type) throws RefusedException {
    Bytes data = sections.section(type);
    return switch (type) {
      case 16 -> Phast.section(data);
      case 17 -> new Consensus(data);
      default -> new Graph(data, type);
    };
  }

  private Filter layers(int count) throws RefusedException {
    need(sections.types().stream().noneMatch(type -> type >= 32 && type <= 39 && type != 37), "the number of its structures");
    need(hashFunction == 1 || hashFunction == 6, "the hash function of a section");
    Filter[] layers = new Filter[count];
    for (int layer = 0; layer < count; ++layer) {
      Bytes data = sections.section(37, layer);
      need(data != null, "the layers of a filter");
      layers[layer] = new Cuckoo(data);
    }
    return new Layers(layers);
  }

  private Filter filter(int type) throws RefusedException {
    Bytes data = sections.section(type);
    need(data != null, "the section of a filter");
    need((hashFunction == 2) == (type == 34) && (hashFunction >= 7) == (type == 39), "the hash function of a section");
    return switch (type) {
      case 32 -> Ribbon.section(data, true);
      case 33 -> new Fuse(data, 32);
      case 34 -> new SplitBlock(data);
      case 35 -> new Bloom(data, false);
      case 36 -> new Bloom(data, true);
      case 37 -> new Cuckoo(data);
      case 39 -> new Range(data);
      default -> new HashCompaction(data);
    };
  }

  private StaticFunction function(int type) throws RefusedException {
    Bytes data = sections.section(type);
    return switch (type) {
      case 33 -> new Fuse(data, 64);
      case 48 -> Ribbon.section(data, false);
      case 49 -> new Coded(data);
      default -> new Graph(data, type);
    };
  }

  Mphf mphf() {
    return mphf;
  }

  RankCheck check() {
    return check;
  }

  Slots slots() {
    return slots;
  }

  Codec codec() {
    return codec;
  }

  PartRecords records() {
    return records;
  }

  Filter filter() {
    return filter;
  }

  RowFiles rowFiles() {
    return rowFiles;
  }

  /** Null where each key has one row. */
  RowLists rowLists() {
    return rowLists;
  }

  GroupFilters filterSet() {
    return filterSet;
  }

  StaticFunction function() {
    return function;
  }

  Exact exact() {
    return exact;
  }

  Dictionary dictionary() {
    return dictionary;
  }

  HashedIds hashedIds() {
    return hashedIds;
  }
}
