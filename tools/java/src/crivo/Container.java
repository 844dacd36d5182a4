// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.know;
import static crivo.RefusedException.need;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Header, sections, checksums, table and footer: crivo-1.md. */
final class Container implements Sections {
  static final long METADATA = 0x80000001L;
  static final int UNSIGNED = 1;
  static final int DECIMAL = 3;
  private static final int MOST_SCALE = 18;

  private static final byte[] MAGIC = {(byte) 0xc3, 'C', 'R', 'V', '\r', '\n', 0x1a, '\n'};
  static final int HEADER = 192;
  private static final int ENTRY = 96;
  private static final int FOOTER = 40;
  private static final int MOST_SECTIONS = 1024;
  private static final int MOST_METADATA = 1 << 20;
  static final long SKIPPABLE = 0x80000000L; // types from here on
  private static final long LEAVES = 2; // of all kinds that have a hash tree
  private static final long DIRECTORY = 3; // of filters and maps that have one
  private static final long PAGE_SUMS = 4; // of all kinds that have a hash tree, but records
  private static final long UNITS = 67;
  private static final Set<Long> MPHFS = Set.of(1L, 16L, 17L, 18L, 19L, 20L, 21L);
  private static final Set<Long> FILTERS = Set.of(32L, 33L, 34L, 35L, 36L, 37L, 38L, 39L);
  private static final Set<Long> MAPS = Set.of(32L, 33L, 48L, 49L, 50L);
  private static final Set<Long> STORES = Set.of(64L, 65L, 66L); // beside those of an MPHF, or 80 to 84
  private static final Set<Long> KEYS = Set.of(96L, 97L, 101L);
  private static final Set<Long> TOTALS = Set.of(98L, 100L);
  private static final Set<Long> RECORDS = Set.of(67L);
  private static final Set<Long> EXACTS = Set.of(32L, 48L, 72L);
  private static final Set<Long> ROWS = Set.of(32L, 48L, 128L, 129L, 131L);
  private static final Set<Long> FILTER_SETS = Set.of(116L, 117L);
  private static final Set<Long> DELTAS = Set.of(32L, 120L);
  private static final Set<Long> CHAINS = Set.of(121L, 130L);
  private static final Set<Long> PARTS = Set.of(104L, 105L, 106L, 107L); // beside all others
  private static final Set<Long> DICTIONARIES = Set.of(16L, 80L, 81L, 82L, 83L, 84L, 85L, 86L);
  private static final Set<Long> MANIFESTS = Set.of(67L, 106L, 107L, 112L, 113L, 114L, 115L);
  private static final Map<Long, String> KINDS_AHEAD = Map.of(14L, "filter set");

  private final Bytes data;
  private final long table;
  private final Kind kind;
  private final long n;
  private final long seed;
  private final int function;
  private final int valueType;
  private final int scale;
  private final boolean hasTree;
  private final List<Section> sections = new ArrayList<>();
  private final long checksums;
  private PageSums pageSums; // null where there are none
  private Bytes readable; // that checks what is read of it, where there are

  record Section(long type, long offset, long length, long checksum, long tag, long listCheck, Bytes hash) {
    /** Whether it is about the others. */
    boolean isOfContainer() {
      return type == LEAVES || type == DIRECTORY || type == PAGE_SUMS;
    }

    long chunks() {
      return Bits.ceilDiv(length, HashTree.CHUNK);
    }
  }

  Container(Bytes data) throws RefusedException {
    this.data = data;
    readable = data;
    if (data.length() < MAGIC.length || !Arrays.equals(data.slice(0, MAGIC.length).copy(), MAGIC)) {
      throw new RefusedException(RefusedException.Why.FOREIGN, "not a Crivo file (bad magic number)");
    }
    need(data.length() >= HEADER + FOOTER, "truncated");
    int major = data.u16(8);
    if (major == 1 && data.u16(10) == 0) {
      throw new RefusedException(RefusedException.Why.TOO_OLD, "version 1.0 is that of a draft; build it again");
    }
    know(major == 0, "major version " + major);
    if (data.u32(12) < HEADER) {
      throw new RefusedException(RefusedException.Why.TOO_OLD, "the length of the header");
    }
    know(data.u64(16) == 0, "an incompatible feature");
    need(data.u32(12) == HEADER, "the length of the header");
    need(data.u64(32) == data.length(), "truncated, or longer than it says");
    long count = data.u32(48);
    need(count <= MOST_SECTIONS, "the number of sections");
    table = data.u64(40);
    need(table == data.length() - FOOTER - ENTRY * count && table >= HEADER, "the offset of the table");
    data.zero(116, 152);
    checkFooter();

    long kindNumber = data.u32(52);
    kind = Kind.of(kindNumber);
    know(kind != null, named("kind", kindNumber, KINDS_AHEAD.get(kindNumber)));
    n = data.u64(56);
    seed = data.u64(64);
    know(KeyHash.isKnown(data.u32(72)), "hash function " + data.u32(72));
    function = (int) data.u32(72);
    know(data.u32(112) <= 1, "hash tree " + data.u32(112));
    hasTree = data.u32(112) == 1;
    valueType = data.u16(76);
    scale = data.u16(78);
    know(valueType <= DECIMAL, "values of type " + valueType);
    need(scale <= (valueType == DECIMAL ? MOST_SCALE : 0), "a scale");
    need(!hasTree || isOfKind(LEAVES), "a hash tree of keys or totals");
    checkKind(kind);
    checksums = sections(count);
    checkLeaves();
    if (kind != Kind.MPHF && kind != Kind.FILTER) {
      checkReads();
    }
  }

  /** Has what is read of the sections checked: by page, or all of it now. */
  private void checkReads() throws RefusedException {
    if (pageSums != null) {
      pageSums.checkList();
    } else if (kind != Kind.RECORDS && kind != Kind.KEYS && kind != Kind.TOTALS) {
      verifyChunks();
    }
  }

  private static String named(String what, long number, String name) {
    return what + " " + number + (name == null ? "" : " (" + name + ")");
  }

  private void checkFooter() throws RefusedException {
    long end = data.length();
    data.zero(end - FOOTER, end - FOOTER + 8);
    need(data.u64(end - 24) == end && data.u64(end - 16) == data.u64(184), "the footer");
    need(data.u64(end - 8) == ~data.u64(0), "the magic of the footer");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(data.slice(0, 184).copy());
    bytes.writeBytes(data.slice(table, end - 24 - table).copy());
    need(Xxh.hash64(Bytes.of(bytes.toByteArray()), 0) == data.u64(184), "the header checksum");
  }

  /** Whether values and hash function are those of a kind: of the file's own, or of the one that a manifest stands for. */
  void checkKind(Kind of) throws RefusedException {
    if (!of.isIndex() && of != Kind.DELTA && of != Kind.CHAIN) {
      return;
    }
    need((valueType != 0) == (of == Kind.MAP) || of == Kind.DICTIONARY, "the type of values");
    need(switch (of) {
      case FILTER -> function == 1 || function == 2 || function >= 6;
      case MAP, DICTIONARY, EXACT, DELTA, CHAIN, FILTER_SET, ROWS -> function == 1 || function == 6;
      default -> function != 2 && function <= 6;
    }, "a hash function of another kind");
  }

  /** Reads the table; returns where the checksums begin. */
  private long sections(long count) throws RefusedException {
    long at = HEADER;
    long chunks = 0;
    for (int i = 0; i < count; ++i) {
      long entry = table + (long) ENTRY * i;
      Section section = new Section(
          data.u32(entry), data.u64(entry + 8), data.u64(entry + 16), data.u64(entry + 32), data.u64(entry + 40),
          data.u64(entry + 48), data.slice(entry + 64, 32));
      long alignment = data.u32(entry + 24);
      need(data.u32(entry + 4) == 0 && data.u32(entry + 28) == 0, "reserved bytes");
      need(section.type == PAGE_SUMS || section.listCheck == 0, "the check of page sums");
      need(alignment == 64 || alignment == 4096, "an alignment");
      need(section.offset == Bits.roundUp(at, alignment), "a section is not where it should be");
      need(section.offset <= table && section.length >= 0 && section.length <= table - section.offset,
          "a section is past the table");
      at = section.offset + section.length;
      chunks += section.chunks();
      need(find(section.type, section.tag) == null, "two sections of one type and tag");
      if (section.type == PAGE_SUMS) {
        long end = i == 0 ? 0 : sections.get(i - 1).offset + sections.get(i - 1).length;
        need(sections.stream().noneMatch(Section::isOfContainer), "the place of page sums");
        pageSums = new PageSums(data, end, data.slice(section.offset, section.length), alignment, section.listCheck,
            this::isOfRecords);
        readable = new SummedBytes(data, pageSums);
      }
      need(pageSums == null || section.isOfContainer(), "the place of page sums");
      sections.add(section);
      if (section.type < SKIPPABLE) {
        know(isKnown(section.type), named("section", section.type, ahead(section.type)));
        long tags = kind == Kind.EXACT && section.type == 32 ? 65 : kind == Kind.FILTER && section.type == 37 ? 16
            : kind == Kind.DELTA && section.type == 32 ? 1000 : 1;
        know(Long.compareUnsigned(section.tag, tags) < 0 || kind == Kind.PART, "section " + section.type + " with a tag");
        need(isOfKind(section.type), "section " + section.type + " in a file of its kind");
      }
    }
    long begin = Bits.roundUp(at, 64);
    need(begin + 8 * chunks == table, "the checksums");
    return begin;
  }

  /** Section 2 is there where it should be, and hashes are zero where they should be. */
  private void checkLeaves() throws RefusedException {
    long expected = 0;
    long found = 0;
    for (Section section : sections) {
      if (hasTree && section.type != LEAVES) {
        expected += HashTree.leavesLength(section.length);
      } else {
        section.hash.zero(0, section.hash.length());
      }
      if (section.type == LEAVES) {
        need(section.tag == 0 && section.length > 0, "the leaves");
        found = section.length;
      }
    }
    need(found == expected, "the length of the leaves");
    need(hasTree || find(DIRECTORY, 0) == null, "a directory without a hash tree");
  }

  /** The name of a section's type that is set aside; null of another. */
  private static String ahead(long type) {
    return type >= 73 && type <= 79 ? "exact set"
        : type >= 87 && type <= 95 ? "dictionary"
        : type >= 118 && type <= 119 ? "filter set"
        : type >= 122 && type <= 127 ? "delta or chain" : null;
  }

  private static boolean isKnown(long type) {
    return type == LEAVES || type == DIRECTORY || type == PAGE_SUMS || Stream.of(MPHFS, FILTERS, MAPS, STORES, KEYS, TOTALS, RECORDS, EXACTS, FILTER_SETS, ROWS, DELTAS, CHAINS, PARTS, DICTIONARIES,
            MANIFESTS)
        .anyMatch(types -> types.contains(type));
  }

  private boolean isOfKind(long type) {
    if (type == LEAVES) {
      return kind != Kind.KEYS && kind != Kind.TOTALS;
    }
    if (type == PAGE_SUMS) {
      return kind != Kind.KEYS && kind != Kind.TOTALS && kind != Kind.RECORDS;
    }
    if (type == DIRECTORY) {
      return kind == Kind.FILTER || kind == Kind.MAP || kind == Kind.PART;
    }
    return switch (kind) {
      case MPHF -> MPHFS.contains(type);
      case FILTER -> FILTERS.contains(type);
      case MAP -> MAPS.contains(type);
      case STORE -> MPHFS.contains(type) || STORES.contains(type) || type >= 80 && type <= 84;
      case PART -> true;
      case KEYS -> KEYS.contains(type);
      case TOTALS -> TOTALS.contains(type);
      case RECORDS -> RECORDS.contains(type);
      case DICTIONARY -> DICTIONARIES.contains(type);
      case EXACT -> EXACTS.contains(type);
      case FILTER_SET -> FILTER_SETS.contains(type);
      case ROWS -> ROWS.contains(type);
      case DELTA -> DELTAS.contains(type);
      case CHAIN -> CHAINS.contains(type);
      case MANIFEST -> MANIFESTS.contains(type);
    };
  }

  @Override
  public Kind kind() {
    return kind;
  }

  long keys() {
    return n;
  }

  long seed() {
    return seed;
  }

  KeyHash hash(byte[] key) {
    return KeyHash.of(function, seed, Objects.requireNonNull(key, "a key is null"));
  }

  int function() {
    return function;
  }

  /** UNSIGNED, signed (2) or DECIMAL; 0 of what is no map. */
  int valueType() {
    return valueType;
  }

  int scale() {
    return scale;
  }

  @Override
  public List<Integer> types() {
    return sections.stream().filter(s -> s.type < SKIPPABLE).map(s -> (int) s.type).toList();
  }

  private Section find(long type, long tag) {
    return sections.stream().filter(s -> s.type == type && s.tag == tag).findFirst().orElse(null);
  }

  @Override
  public Bytes section(long type, long tag) {
    Section section = find(type, tag);
    return section == null ? null : readable.slice(section.offset, section.length);
  }

  /** Where the section of a type begins, which there is. */
  long offset(long type) {
    return find(type, 0).offset;
  }

  /** All of the file. */
  Bytes bytes() {
    return readable;
  }

  long length() {
    return data.length();
  }

  boolean hasTree() {
    return hasTree;
  }

  Bytes bytes(long at, long length) {
    return data.slice(at, length);
  }

  String digest() {
    return HexFormat.of().formatHex(rawDigest());
  }

  byte[] rawDigest() {
    return HashTree.sha256(data.slice(0, HEADER), data.slice(table, data.length() - table));
  }

  /** Of a store's index: compares the content id, whose hash has all but the codec and the numbers (store.md). */
  void checkContentId(Hash128 records) throws RefusedException {
    Bytes codec = section(65);
    ByteBuffer numbers = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    records.add(codec);
    records.add(Bytes.of(numbers.putLong(codec.length()).putLong(n).putLong(seed).array()));
    need(Arrays.equals(records.finish(), data.slice(80, 16).copy()), "the content id");
  }

  private void verifyChunks() throws RefusedException {
    long checksum = checksums;
    for (Section section : sections) {
      long end = section.offset + section.length;
      need(Xxh.hash64(data.slice(checksum, 8 * section.chunks()), 0) == section.checksum, "checksums of a section");
      for (long chunk = section.offset; chunk < end; chunk += HashTree.CHUNK) {
        need(Xxh.hash64(data.slice(chunk, Math.min(HashTree.CHUNK, end - chunk)), 0) == data.u64(checksum), "a chunk");
        checksum += 8;
      }
    }
  }

  /** Compares what opening does not read. */
  void verify() throws RefusedException {
    verifyChunks();
    long at = HEADER;
    long leaf = 0; // of section 2, from which byte on it is not compared yet
    for (Section section : sections) {
      data.zero(at, section.offset);
      at = section.offset + section.length;
      if (hasTree && section.type != LEAVES) {
        leaf = verifyHash(section, leaf);
      }
    }
    data.zero(at, checksums);
    if (find(DIRECTORY, 0) != null) {
      verifyDirectory(section(DIRECTORY));
    }
    if (pageSums != null) {
      pageSums.verify();
    }
    Bytes metadata = section(METADATA);
    if (metadata != null) {
      entries(metadata);
    }
  }

  private boolean isOfRecords(long page) {
    return sections.stream().anyMatch(section -> section.type == UNITS && section.offset <= page * PageSums.PAGE
        && (page + 1) * PageSums.PAGE <= section.offset + section.length);
  }

  private void verifyDirectory(Bytes directory) throws RefusedException {
    long last = -1;
    for (long at = 0; at < directory.length(); ) {
      long number = directory.u64(at);
      long head = directory.u64(at + 8);
      long tail = directory.u64(at + 16);
      need(last < number && number < sections.size(), "a section of the directory");
      Section section = sections.get((int) number);
      need(section.type != DIRECTORY && head >= 0 && head <= section.length && tail >= 0 && tail <= section.length - head,
          "the ends of a section");
      Bytes body = data.slice(section.offset, section.length);
      need(Arrays.equals(directory.slice(at + 24, head).copy(), body.slice(0, head).copy())
          && Arrays.equals(directory.slice(at + 24 + head, tail).copy(), body.slice(section.length - tail, tail).copy()),
          "the directory");
      at += 24 + head + tail;
      last = number;
    }
  }

  /** Of a section whose lists begin at this byte of section 2; returns where the next one's do. */
  private long verifyHash(Section section, long leaf) throws RefusedException {
    List<byte[]> lists = HashTree.lists(data.slice(section.offset, section.length));
    byte[] hash = HashTree.sha256(Bytes.of(lists.get(lists.size() - 1)));
    need(Arrays.equals(hash, section.hash.copy()), "the hash of a section");
    for (byte[] list : section.chunks() > 1 ? lists : List.<byte[]>of()) {
      need(Arrays.equals(section(LEAVES).slice(leaf, list.length).copy(), list), "the leaves of a section");
      leaf += list.length;
    }
    return leaf;
  }

  /** The metadata of the file, names and values. */
  Map<String, String> metadata() throws RefusedException {
    Bytes metadata = section(METADATA);
    return metadata == null ? Map.of() : entries(metadata);
  }

  /** Names and values of a section of metadata. */
  static Map<String, String> entries(Bytes metadata) throws RefusedException {
    Map<String, String> entries = new HashMap<>();
    need(metadata.length() <= MOST_METADATA, "the length of the metadata");
    long at = 4;
    byte[] last = null;
    for (long i = metadata.u32(0); i > 0; --i) {
      long nameLength = metadata.u32(at);
      long valueLength = metadata.u32(at + 4);
      byte[] name = metadata.slice(at + 8, nameLength).copy();
      byte[] value = metadata.slice(at + 8 + nameLength, valueLength).copy();
      need(last == null || Arrays.compareUnsigned(last, name) < 0, "the order of the metadata");
      try {
        entries.put(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString(),
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString());
      } catch (CharacterCodingException e) {
        need(false, "metadata that is not UTF-8");
      }
      last = name;
      at += 8 + nameLength + valueLength;
    }
    need(at == metadata.length(), "the length of the metadata");
    return entries;
  }
}
