// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An open file of Crivo: a minimal perfect hash function, a filter, a map, a dictionary, an exact set, a chain of
 * one, or of a filter, and its deltas, a record store, or a manifest of the parts of one of the first three or a store. It is mapped, and stays so until it is collected. Lookups are safe for threads, throw nothing (but that of a damaged
 * record) and read nothing outside the file, whatever it holds; {@link #verify} shows any change of a byte.
 *
 * <pre>{@code
 * Index map = Index.open(Path.of("lines.crv"));
 * OptionalLong line = map.value("http://example.org/".getBytes(StandardCharsets.UTF_8));
 * }</pre>
 */
public final class Index {
  private final Container container;
  private final Served served; // of a manifest; null: of all others
  private final Structures structures;
  private final Links links; // of a chain
  private List<Container> linked = List.of(); // a chain's base and deltas
  private Exact exact; // of a chain: null where it was opened from bytes, or is of a filter
  private Filter filter; // of a filter, or a chain of one
  private List<Covered> covered = List.of(); // by an exact set or a chain; none: all is
  private RowLayers rowLayers; // of an index of rows, or a chain of such
  private FilterSetLayers groups; // of a filter set, or a chain of such
  private Records records; // null: a store's index alone
  private Trust.Signed signed; // null: no signature was asked for

  private Index(Container container, Served served) throws RefusedException {
    this.container = container;
    this.served = served;
    structures = new Structures(container, served == null ? container : served);
    exact = structures.exact();
    filter = container.kind() == Kind.FILTER || served != null && served.kind() == Kind.FILTER ? structures.filter() : null;
    covered = exact == null ? List.of() : Covered.of(container);
    records = structures.records();
    rowLayers = structures.rowFiles() == null ? null : new RowLayers(container, structures);
    groups = structures.filterSet() == null ? null : new FilterSetLayers(structures);
    switch (container.kind()) {
      case DELTA -> {
        Links.layers(container);
        links = null;
      }
      case CHAIN -> {
        need(container.section(121) != null, "no links");
        links = new Links(container.section(121));
      }
      default -> links = null;
    }
  }

  /**
   * Maps a file, that of a chain with its base and deltas, that of a manifest with its parts, or those of a store's
   * directory, and checks its structure, not its bulk. A manifest is of the kind of the index that it stands for. What
   * is replaced meanwhile is opened as it is then.
   */
  public static Index open(Path path) throws IOException {
    return Settled.open(first(path), () -> openOnce(path));
  }

  /** The file that leads to all others. */
  private static Path first(Path path) {
    return Files.isDirectory(Objects.requireNonNull(path, "the path is null")) ? path.resolve("index.crv") : path;
  }

  /** Whether there was no log of updates where there may be one: until it is looked for, it may have been folded into a newer store. */
  boolean mayMissUpdates() {
    return records instanceof Environment || records instanceof Flat;
  }

  private static Index openOnce(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      Path folder = path.toAbsolutePath().getParent();
      Index index = of(container(Bytes.map(path)), folder);
      if (index.links != null) {
        index.link(folder, null);
      }
      return index;
    }
    Index index = of(Bytes.map(path.resolve("index.crv")));
    need(index.kind() == Kind.STORE, "the index of a directory is no store's");
    String generation = index.digest().substring(0, 16);
    String data = "data-" + generation + (index.structures.slots() == null ? ".mdb" : ".crv");
    try {
      index.attach(Bytes.map(path.resolve(data)));
    } catch (NoSuchFileException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, data + " is missing, but the index needs it");
    }
    index.update(path.resolve("updates-" + generation + ".log"));
    return index;
  }

  /**
   * The same of a file or store that must be signed: its signature is checked, and then every byte, before there is an
   * answer. Of a manifest the file that names its parts is signed; of a chain it is the chain itself, or else its base
   * and its deltas. Whoever may write to the file can still change it afterwards.
   */
  public static Index open(Path path, Trust trust) throws IOException {
    Objects.requireNonNull(trust, "the trust is null");
    return Settled.open(first(path), () -> openOnce(path, trust));
  }

  private static Index openOnce(Path path, Trust trust) throws IOException {
    Path whole = path.toAbsolutePath().normalize();
    String name = String.valueOf(whole.getFileName()); // of the root null
    try {
      if (!Files.isDirectory(whole)) {
        Container file = container(Bytes.map(whole));
        if (file.kind() == Kind.CHAIN) {
          file.verify();
          Index chain = new Index(file, null);
          Links.Signatures signatures = new Links.Signatures(whole, file, trust);
          chain.link(whole.getParent(), signatures);
          return chain.noted(signatures.newest());
        }
        SignatureCheck check = new SignatureCheck(whole, List.of(name), trust);
        check.checkBytes(file);
        Index index = of(file, whole.getParent());
        if (index.served != null) {
          index.served.verify();
        }
        return index.noted(check);
      }
      SignatureCheck check = new SignatureCheck(whole.resolve("index.crv"), List.of(name), trust);
      Index index = openOnce(whole);
      if (!(index.records instanceof Flat flat)) {
        throw new RefusedException(RefusedException.Why.UNSUPPORTED,
            "a store of the backend lmdb, or with updates, cannot be trusted, as a signature does not cover them");
      }
      check.checkBytes(index.container);
      check.checkRecords(flat.file());
      flat.file().verify();
      return index.noted(check);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  private Index noted(SignatureCheck check) throws IOException {
    check.noteSeen();
    signed = check.signed();
    return this;
  }

  /** What the signature says; of a chain, that of its last file. Empty unless one was asked for. */
  public Optional<Trust.Signed> signed() {
    return Optional.ofNullable(signed);
  }

  private void link(Path folder, Links.Signatures signatures) throws IOException {
    try {
      linked = links.open(folder, signatures);
      if (linked.get(0).kind() == Kind.ROWS) {
        rowLayers = new RowLayers(container, linked, links.state());
        return;
      }
      if (linked.get(0).kind() == Kind.FILTER_SET) {
        groups = new FilterSetLayers(container, linked, links.state());
        return;
      }
      Structures base = new Structures(linked.get(0), linked.get(0));
      need((base.exact() != null ? follow(base.exact()) : follow(base.filter())) == keys(), "the members of a chain");
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  private long follow(Exact base) throws RefusedException {
    exact = base;
    covered = new ArrayList<>(Covered.of(linked.get(0)));
    return links.follow(linked, (delta, file, members) -> {
      need(!delta.ofFilter, "a delta of a filter");
      exact.follow(delta);
      if (!covered.isEmpty()) { // a base that covers all, covers all
        covered.addAll(Covered.of(file));
      }
      return delta.members.get(delta.members.size() - 1);
    });
  }

  private long follow(Filter base) throws RefusedException {
    List<Filter> layers = new ArrayList<>(List.of(base));
    long all = links.follow(linked, (delta, file, members) -> {
      need(delta.ofFilter, "a delta of an exact set");
      layers.addAll(Links.layers(file));
      need(delta.members.get(delta.members.size() - 1) == members + file.keys(), "the keys of a layer");
      return members + file.keys();
    });
    filter = new Layers(layers.toArray(Filter[]::new));
    return all;
  }

  /** The same of a store's two files. */
  public static Index of(byte[] file, byte[] data) throws RefusedException {
    Index index = of(file);
    need(index.kind() == Kind.STORE, "records of what is no store");
    index.attach(Bytes.of(Objects.requireNonNull(data, "the data is null")));
    return index;
  }

  private void attach(Bytes data) throws RefusedException {
    try {
      records = structures.slots() == null ? new Environment(data, container) : new Flat(data, container, structures.slots(), structures.dictionary());
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** Takes the updates of a log, if there is one, which grows under writers. */
  private void update(Path path) throws IOException {
    Records sealed = records;
    Bytes log = null;
    while (true) {
      long known = log == null ? -1 : log.length();
      try {
        log = Bytes.map(path);
      } catch (NoSuchFileException e) {
        return;
      }
      try {
        records = new Updated(sealed, container.bytes(80, 16).copy(), keys(), log);
        return;
      } catch (RefusedException e) {
        if (log.length() == known) {
          throw e;
        } // else the commit that a slot names may lie behind what was mapped
      } catch (IndexOutOfBoundsException e) {
        throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
      }
    }
  }

  /** The same of a file's bytes. */
  public static Index of(byte[] file) throws RefusedException {
    return of(Bytes.of(Objects.requireNonNull(file, "the file is null")));
  }

  private static Index of(Bytes file) throws RefusedException {
    try {
      Container container = container(file);
      if (container.kind() == Kind.MANIFEST) {
        throw new RefusedException(RefusedException.Why.UNSUPPORTED, "a manifest, whose parts are other files: open its path");
      }
      return new Index(container, null);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  private static Container container(Bytes file) throws RefusedException {
    try {
      return new Container(file);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** `folder` has the parts of a manifest. */
  private static Index of(Container container, Path folder) throws IOException {
    try {
      return new Index(container, container.kind() == Kind.MANIFEST ? new Served(container, folder) : null);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** What the file is. */
  public Kind kind() {
    return served == null ? container.kind() : served.kind();
  }

  /** The number of keys, unsigned. */
  public long keys() {
    return container.keys();
  }

  /** 64 hexadecimal digits: files of equal digests hold equal bytes, unless they have no hash tree. */
  public String digest() {
    return container.digest();
  }

  /** Reads and compares every byte of the file. */
  public void verify() throws RefusedException {
    try {
      container.verify();
      if (served != null) {
        served.verify();
      }
      for (Container file : linked) {
        file.verify();
      }
      if (records != null) {
        records.verify(structures.codec(), this);
      }
      if (structures.dictionary() != null) {
        structures.dictionary().verify();
      }
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** The rank of a key of an MPHF or a store, below {@link #keys}; of another key some rank, or none where signatures show it. */
  public OptionalLong rank(byte[] key) {
    if (kind() != Kind.STORE) {
      needKind(Kind.MPHF);
    }
    if (structures.mphf() == null) {
      throw new UnsupportedOperationException("the ranks of an ordered store are the ids of its keys");
    }
    KeyHash hash = container.hash(key);
    if (container.keys() == 0) {
      return OptionalLong.empty();
    }
    long rank = structures.mphf().rank(hash.hi(), hash.lo());
    RankCheck check = structures.check();
    return check != null && !check.has(rank, hash.hi(), hash.lo()) ? OptionalLong.empty() : OptionalLong.of(rank);
  }

  /** Whether the filter may hold the key; true for every key of the set. */
  public boolean mayContain(byte[] key) {
    if (!isFilter()) {
      needKind(Kind.FILTER);
    }
    if (takesRanges() && Objects.requireNonNull(key, "a key is null").length > 8) {
      return false;
    }
    KeyHash hash = container.hash(key);
    return filter.mayContain(hash.hi(), hash.lo());
  }

  /** Whether it is a filter of numbers, which answers ranges. */
  public boolean takesRanges() {
    return filter instanceof Range;
  }

  /**
   * Whether there may be a key from `low` to `high`, unsigned numbers which a key of at most eight bytes has as its
   * bytes, the highest first; true for ranges of more than 2^24 numbers.
   */
  public boolean mayContainRange(long low, long high) {
    if (!(filter instanceof Range range)) {
      throw new UnsupportedOperationException("only filters of type range answer ranges");
    }
    if (Bits.below(high, low)) {
      return false;
    }
    if (!Bits.below(high - low, 1L << 24)) {
      return true;
    }
    for (long from = low; ; ++from) {
      long last = Bits.least(high, from | Range.RUN - 1);
      if (range.mayContain(KeyHash.ofNumber(container.function(), from, container.seed()).hi(), from, last)) {
        return true;
      }
      if (last == high) {
        return false;
      }
      from = last;
    }
  }

  /** Whether it is a filter or a chain of one. */
  public boolean isFilter() {
    return filter != null;
  }

  /**
   * The value of a key of the set; of another key some value, or none where signatures show it. Values of 64 bits are
   * unsigned where the map's are; those of a map of decimals are times 10^{@link #valueScale}.
   */
  public OptionalLong value(byte[] key) {
    needKind(Kind.MAP);
    OptionalLong kept = kept(key);
    return kept.isPresent() && hasSignedValues() ? OptionalLong.of(kept.getAsLong() >>> 1 ^ -(kept.getAsLong() & 1)) : kept;
  }

  /** Where a key of the set is first; of another key some row, or none where signatures show it. */
  public Optional<Row> row(byte[] key) {
    return rows(key).stream().findFirst();
  }

  /** All rows of a key of the set, in order, of a chain those of the newest layer first; of another key those of some key, or none where signatures show it. */
  public List<Row> rows(byte[] key) {
    if (rowLayers == null) {
      needKind(Kind.ROWS);
    }
    return rowLayers.rows(container.hash(key));
  }

  /**
   * The key that a text stands for: itself, or where the rows' keys are 64-bit numbers the 8 bytes of its own, the
   * lowest first. Throws IllegalArgumentException for a text that is no such number.
   */
  public byte[] keyOf(byte[] text) throws RefusedException {
    Objects.requireNonNull(text, "a key is null");
    if (rowLayers == null || !rowLayers.hasNumbers()) {
      return text;
    }
    BigInteger number;
    try {
      number = new BigInteger(new String(text, StandardCharsets.ISO_8859_1));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("a key is no number, as the keys of the file are");
    }
    if (text[0] == '+' || number.bitLength() > (number.signum() < 0 ? 63 : 64)) {
      throw new IllegalArgumentException("a key is no 64-bit number, as the keys of the file are");
    }
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number.longValue()).array();
  }

  /** Whether it is an index of rows or a chain of such. */
  public boolean isRows() {
    return rowLayers != null;
  }

  /** The names of the groups of a filter set, or a chain of such, that may hold the key, in order: those that it is in, and false positives. */
  public List<byte[]> groupsOf(byte[] key) {
    if (groups == null) {
      needKind(Kind.FILTER_SET);
    }
    return groups.groupsOf(container.hash(key).hi());
  }

  /** Whether it is a filter set or a chain of such. */
  public boolean isFilterSet() {
    return groups != null;
  }

  /** What the static function has for a key, unless signatures refuse it. */
  private OptionalLong kept(byte[] key) {
    KeyHash hash = container.hash(key);
    Filter filter = structures.filter();
    if (container.keys() == 0 || filter != null && !filter.mayContain(hash.hi(), hash.lo())) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(structures.function().value(hash.hi(), hash.lo()));
  }

  /** What an exact set or a chain without groups says of a key; one with groups OUTSIDE. */
  public Answer answer(byte[] key) {
    needExact();
    KeyHash hash = container.hash(key);
    return exact.isGrouped() ? Answer.OUTSIDE : exact.answer(hash, hash);
  }

  /** What an exact set or a chain says of a key of a group; one without groups does not look at that. */
  public Answer answer(byte[] group, byte[] key) {
    needExact();
    return exact.answer(container.hash(key), container.hash(group).ofGroup());
  }

  /** The same of a key of an epoch, a name and an unsigned number: OUTSIDE unless that is covered. */
  public Answer answer(byte[] group, byte[] key, String epoch, long value) {
    return covers(epoch, value) ? answer(group, key) : Answer.OUTSIDE;
  }

  /** The same of many keys, each in the group in its place. */
  public Answer[] answers(byte[][] groups, byte[][] keys) {
    Objects.requireNonNull(keys, "the keys are null");
    if (Objects.requireNonNull(groups, "the groups are null").length != keys.length) {
      throw new IllegalArgumentException("there are " + groups.length + " groups, and " + keys.length + " keys");
    }
    Answer[] answers = new Answer[keys.length];
    for (int i = 0; i < keys.length; ++i) {
      answers[i] = answer(groups[i], keys[i]);
    }
    return answers;
  }

  /** One group, for many lookups; of a set without groups the name is not looked at. */
  public ExactGroup group(byte[] name) {
    needExact();
    return new ExactGroup(container, exact, name);
  }

  /** Whether an exact set or a chain covers an epoch, or does not say what it covers. */
  public boolean covers(String epoch, long value) {
    needExact();
    Objects.requireNonNull(epoch, "the epoch is null");
    return covered.isEmpty() || covered.stream().anyMatch(one -> one.includes(epoch, value));
  }

  /** Whether keys of an exact set belong to groups. */
  public boolean isGrouped() {
    return exact != null && exact.isGrouped();
  }

  /** Whether a number stands beside each key of a dictionary. */
  public boolean hasValues() {
    return structures.dictionary() != null && structures.dictionary().hasValues();
  }

  /**
   * The number beside the key of an id of a dictionary with values, from 0 and below {@link #keys}, as that of a map is.
   * Throws where it is damaged.
   */
  public long value(long id) throws RefusedException {
    needKind(Kind.DICTIONARY);
    if (!hasValues()) {
      throw new IllegalStateException("a dictionary without values");
    }
    if (Long.compareUnsigned(id, container.keys()) >= 0) {
      throw new IllegalArgumentException("there is no id " + Long.toUnsignedString(id));
    }
    try {
      long kept = structures.dictionary().value(id);
      return hasSignedValues() ? kept >>> 1 ^ -(kept & 1) : kept;
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a value is cut off");
    }
  }

  /** Whether values of a map or a dictionary are signed integers or decimals. */
  public boolean hasSignedValues() {
    return container.valueType() > Container.UNSIGNED;
  }

  /** The digits after the point of the values of a map or a dictionary. */
  public int valueScale() {
    return container.scale();
  }

  /** The record of a key of a store, or nothing. Throws where it is damaged: it has a checksum of its own. */
  public Optional<byte[]> record(byte[] key) throws RefusedException {
    needKind(Kind.STORE);
    if (records == null) {
      throw new IllegalStateException("the index of a store, without its records");
    }
    Objects.requireNonNull(key, "a key is null");
    try {
      OptionalLong rank = rankOfBuild(key);
      Codec.Pair pair = rank.isEmpty() ? null : records.pair(rank.getAsLong(), structures.codec());
      if (pair == null || !Arrays.equals(pair.key(), key)) { // a key that the build did not have?
        long added = addedRank(key);
        pair = added < 0 ? null : records.pair(added, structures.codec());
      }
      return pair != null && Arrays.equals(pair.key(), key) ? Optional.of(pair.record()) : Optional.empty();
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a record is cut off");
    }
  }

  /** The rank that the build of a store gave a key; of another key some rank, or none. */
  OptionalLong rankOfBuild(byte[] key) throws RefusedException {
    return structures.dictionary() == null ? rank(key) : structures.dictionary().id(key);
  }

  /** The rank of a key that was added to those of the build, or -1. */
  long addedRank(byte[] key) {
    return records.addedRank(container.hash(key));
  }

  private void needKeysInOrder() {
    if (structures.dictionary() == null) {
      needKind(Kind.DICTIONARY);
    }
  }

  /** The id of a key of a dictionary or an ordered store: how many keys of its build are before it in byte order. Throws where it is damaged. */
  public OptionalLong id(byte[] key) throws RefusedException {
    needKeysInOrder();
    Objects.requireNonNull(key, "a key is null");
    try {
      return structures.dictionary().id(key);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a block is cut off");
    }
  }

  /** Whether a dictionary has hashed ids, for {@link #hashedId}. */
  public boolean hasHashedIds() {
    return structures.hashedIds() != null;
  }

  /** The id of a key of a dictionary by its hash, faster than {@link #id}; of texts that are no keys one in 256 gets some id. */
  public OptionalLong hashedId(byte[] key) {
    needKind(Kind.DICTIONARY);
    if (!hasHashedIds()) {
      throw new IllegalStateException("a dictionary without hashed ids");
    }
    return structures.hashedIds().id(container.hash(key));
  }

  /** The key of such an id, from 0 and below {@link #keys}. Throws where it is damaged. */
  public byte[] key(long id) throws RefusedException {
    needKeysInOrder();
    if (Long.compareUnsigned(id, container.keys()) >= 0) {
      throw new IllegalArgumentException("there is no id " + Long.toUnsignedString(id));
    }
    try {
      return structures.dictionary().key(id);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a block is cut off");
    }
  }

  private void needExact() {
    if (exact == null) {
      throw new IllegalStateException("a file of kind " + container.kind() + ", asked as an exact set");
    }
  }

  private void needKind(Kind kind) {
    if (kind() != kind) {
      throw new IllegalStateException("a file of kind " + kind() + ", asked as one of kind " + kind);
    }
  }
}
