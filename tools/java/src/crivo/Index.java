// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An open file of Crivo: a minimal perfect hash function, a filter, a map, a dictionary, an exact set, a chain of
 * one and its deltas, or a record store. It is mapped, and stays so until it is collected. Lookups are safe for threads, throw nothing (but that of a damaged
 * record) and read nothing outside the file, whatever it holds; {@link #verify} shows any change of a byte.
 *
 * <pre>{@code
 * Index map = Index.open(Path.of("lines.crv"));
 * OptionalLong line = map.value("http://example.org/".getBytes(StandardCharsets.UTF_8));
 * }</pre>
 */
public final class Index {
  private final Container container;
  private Mphf mphf;
  private Signatures signatures; // null: none
  private Filter filter; // of a map: null where it has no signatures
  private StaticFunction function;
  private Exact exact; // of a chain: null where it was opened from bytes
  private Links links; // of a chain
  private List<Container> linked = List.of(); // a chain's base and deltas
  private Codec codec;
  private Dictionary dictionary;
  private Slots slots; // null: no flat store
  private Records records; // null: a store's index alone
  private Trust.Signed signed; // null: no signature was asked for

  private Index(Container container) throws RefusedException {
    this.container = container;
    switch (container.kind()) {
      case MPHF, STORE -> {
        mphf = mphf(only(16, 21));
        needKeys(mphf.keys());
        boolean ofPapers = container.function() != 1 && container.function() != 6;
        need(!ofPapers || mphf instanceof Graph, "the hash function of a section");
        Bytes section = container.section(1);
        signatures = section == null ? null : new Signatures(section);
        if (signatures != null) {
          needKeys(signatures.keys());
        }
        if (container.kind() == Kind.STORE) {
          Bytes flat = container.section(66);
          need(container.section(65) != null && (flat == null) == (container.section(64) != null)
              && (flat == null || signatures == null), "the sections of a store");
          codec = new Codec(container.section(65));
          slots = flat == null ? null : new Slots(flat, container.keys());
        }
      }
      case FILTER -> {
        int layers = (int) container.types().stream().filter(type -> type == 37).count();
        filter = layers > 1 ? layers(layers) : filter(only(32, 38));
        needKeys(filter.keys());
      }
      case MAP -> {
        function = function(container.section(33) != null ? only(33, 50) : only(48, 50));
        needKeys(function.keys());
        filter = container.section(32) == null ? null : filter(32);
        if (filter != null) {
          needKeys(filter.keys());
        }
      }
      case DICTIONARY -> {
        for (int type = 80; type <= 84; ++type) {
          need(container.section(type) != null, "the sections of a dictionary");
        }
        dictionary = new Dictionary(container.section(80), container.section(81), container.section(82),
            container.section(83), container.section(84));
        needKeys(dictionary.keys());
      }
      case EXACT -> exact = exact(container);
      case DELTA -> Links.delta(container);
      case CHAIN -> {
        need(container.section(121) != null, "no links");
        links = new Links(container.section(121));
      }
      default -> { }
    }
  }

  private static Exact exact(Container file) throws RefusedException {
    need(file.section(72) != null, "no groups");
    Exact exact = new Exact(file.section(72), file.section(48), tag -> file.section(32, tag));
    need(exact.keys() == file.keys(), "the header and a section disagree on n");
    return exact;
  }

  /** Maps a file, that of a chain with its base and deltas, or those of a store's directory, and checks its structure, not its bulk. */
  public static Index open(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      Index index = of(Bytes.map(path));
      if (index.links != null) {
        index.link(path.toAbsolutePath().getParent(), null);
      }
      return index;
    }
    Index index = of(Bytes.map(path.resolve("index.crv")));
    need(index.kind() == Kind.STORE, "the index of a directory is no store's");
    String generation = index.digest().substring(0, 16);
    index.attach(Bytes.map(path.resolve("data-" + generation + (index.slots == null ? ".mdb" : ".crv"))));
    Path log = path.resolve("updates-" + generation + ".log");
    if (index.records instanceof Environment && Files.exists(log)) {
      index.update(Bytes.map(log));
    }
    return index;
  }

  /**
   * The same of a file or store that must be signed: its signature is checked, and then every byte, before there is an
   * answer. Of a chain its base and deltas are signed. Whoever may write to the file can still change it afterwards.
   */
  public static Index open(Path path, Trust trust) throws IOException {
    Path whole = path.toAbsolutePath().normalize();
    String name = whole.getFileName().toString();
    try {
      if (!Files.isDirectory(whole)) {
        Bytes data = Bytes.map(whole);
        Index index = of(data);
        if (index.links != null) {
          index.container.verify();
          index.link(whole.getParent(), trust);
          index.signed = index.links.signed();
          return index;
        }
        SignatureCheck check = new SignatureCheck(whole, name, trust);
        check.checkBytes(index.container);
        return index.noted(check);
      }
      SignatureCheck check = new SignatureCheck(whole.resolve("index.crv"), name, trust);
      Index index = open(whole);
      if (!(index.records instanceof Flat flat)) {
        throw new RefusedException(RefusedException.Why.UNSUPPORTED,
            "a store of the backend lmdb cannot be trusted, as its records change in place; build it with the backend flat");
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

  private void link(Path folder, Trust trust) throws IOException {
    try {
      linked = links.open(folder, trust);
      exact = exact(linked.get(0));
      need(links.follow(exact, linked) == keys(), "the members of a chain");
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** The same of a store's two files. */
  public static Index of(byte[] file, byte[] data) throws RefusedException {
    Index index = of(file);
    need(index.kind() == Kind.STORE, "records of what is no store");
    index.attach(Bytes.of(data));
    return index;
  }

  private void attach(Bytes data) throws RefusedException {
    try {
      records = slots == null ? new Environment(data, container) : new Flat(data, container, slots);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  private void update(Bytes log) throws RefusedException {
    try {
      records = new Updated((Environment) records, container.bytes(80, 16).copy(), keys(), log);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** The same of a file's bytes. */
  public static Index of(byte[] file) throws RefusedException {
    return of(Bytes.of(file));
  }

  private static Index of(Bytes file) throws RefusedException {
    try {
      return new Index(new Container(file));
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  private void needKeys(long keys) throws RefusedException {
    need(keys == container.keys(), "the header and a section disagree on n");
  }

  /** The one type from `first` to `last` that there is. */
  private int only(int first, int last) throws RefusedException {
    List<Integer> types = container.types().stream().filter(type -> type >= first && type <= last).toList();
    need(types.size() == 1, "the number of its structures");
    return types.get(0);
  }

  private Mphf mphf(int type) throws RefusedException {
    Bytes data = container.section(type);
    return switch (type) {
      case 16 -> Phast.section(data);
      case 17 -> new Consensus(data);
      default -> new Graph(data, type);
    };
  }

  private Filter layers(int count) throws RefusedException {
    need(container.types().stream().noneMatch(type -> type >= 32 && type <= 38 && type != 37), "the number of its structures");
    need(container.function() != 2, "the hash function of a section");
    Filter[] layers = new Filter[count];
    for (int layer = 0; layer < count; ++layer) {
      Bytes data = container.section(37, layer);
      need(data != null, "the layers of a filter");
      layers[layer] = new Cuckoo(data);
    }
    return new Layers(layers);
  }

  private Filter filter(int type) throws RefusedException {
    Bytes data = container.section(type);
    need(data != null, "the section of a filter");
    need((container.function() == 2) == (type == 34), "the hash function of a section");
    return switch (type) {
      case 32 -> Ribbon.section(data, true);
      case 33 -> new Fuse(data, 32);
      case 34 -> new SplitBlock(data);
      case 35 -> new Bloom(data, false);
      case 36 -> new Bloom(data, true);
      case 37 -> new Cuckoo(data);
      default -> new HashCompaction(data);
    };
  }

  private StaticFunction function(int type) throws RefusedException {
    Bytes data = container.section(type);
    return switch (type) {
      case 33 -> new Fuse(data, 64);
      case 48 -> Ribbon.section(data, false);
      case 49 -> new Coded(data);
      default -> new Graph(data, type);
    };
  }

  /** What the file is. */
  public Kind kind() {
    return container.kind();
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
      for (Container file : linked) {
        file.verify();
      }
      if (records != null) {
        records.verify(codec, this);
      }
      if (dictionary != null) {
        dictionary.verify();
      }
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a part is cut off");
    }
  }

  /** The rank of a key of an MPHF or a store, below {@link #keys}; of another key some rank, or none where signatures show it. */
  public OptionalLong rank(byte[] key) {
    if (container.kind() != Kind.STORE) {
      needKind(Kind.MPHF);
    }
    KeyHash hash = container.hash(key);
    if (container.keys() == 0) {
      return OptionalLong.empty();
    }
    long rank = mphf.rank(hash.hi(), hash.lo());
    boolean refused = signatures != null && !signatures.has(rank, hash.lo()) || slots != null && !slots.has(rank, hash.hi());
    return refused ? OptionalLong.empty() : OptionalLong.of(rank);
  }

  /** Whether the filter may hold the key; true for every key of the set. */
  public boolean mayContain(byte[] key) {
    needKind(Kind.FILTER);
    KeyHash hash = container.hash(key);
    return filter.mayContain(hash.hi(), hash.lo());
  }

  /**
   * The value of a key of the set; of another key some value, or none where signatures show it. Values of 64 bits are
   * unsigned where the map's are; those of a map of decimals are times 10^{@link #valueScale}.
   */
  public OptionalLong value(byte[] key) {
    needKind(Kind.MAP);
    KeyHash hash = container.hash(key);
    if (container.keys() == 0 || filter != null && !filter.mayContain(hash.hi(), hash.lo())) {
      return OptionalLong.empty();
    }
    long kept = function.value(hash.hi(), hash.lo());
    return OptionalLong.of(hasSignedValues() ? kept >>> 1 ^ -(kept & 1) : kept);
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
    return exact.answer(container.hash(key), container.hash(group));
  }

  /** Whether keys of an exact set belong to groups. */
  public boolean isGrouped() {
    return exact != null && exact.isGrouped();
  }

  /** Whether a map's values are signed integers or decimals. */
  public boolean hasSignedValues() {
    return container.valueType() > Container.UNSIGNED;
  }

  /** The digits after the point of a map's values. */
  public int valueScale() {
    return container.scale();
  }

  /** The record of a key of a store, or nothing. Throws where it is damaged: it has a checksum of its own. */
  public Optional<byte[]> record(byte[] key) throws RefusedException {
    needKind(Kind.STORE);
    if (records == null) {
      throw new IllegalStateException("the index of a store, without its records");
    }
    OptionalLong rank = rank(key);
    if (rank.isEmpty()) {
      return Optional.empty();
    }
    try {
      Codec.Pair pair = records.pair(rank.getAsLong(), codec);
      return pair != null && Arrays.equals(pair.key(), key) ? Optional.of(pair.record()) : Optional.empty();
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a record is cut off");
    }
  }

  /** The id of a key of a dictionary: how many of its keys are before it in byte order. Throws where it is damaged. */
  public OptionalLong id(byte[] key) throws RefusedException {
    needKind(Kind.DICTIONARY);
    try {
      return dictionary.id(key);
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "a block is cut off");
    }
  }

  /** The key of an id of a dictionary, from 0 and below {@link #keys}. Throws where it is damaged. */
  public byte[] key(long id) throws RefusedException {
    needKind(Kind.DICTIONARY);
    if (Long.compareUnsigned(id, container.keys()) >= 0) {
      throw new IllegalArgumentException("there is no id " + Long.toUnsignedString(id));
    }
    try {
      return dictionary.key(id);
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
    if (container.kind() != kind) {
      throw new IllegalStateException("a file of kind " + container.kind() + ", asked as one of kind " + kind);
    }
  }
}
