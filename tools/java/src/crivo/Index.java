package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * An open file of Crivo: a minimal perfect hash function, a filter or a map. It is mapped, and stays so until it is
 * collected. Lookups are safe for threads, throw nothing and read nothing outside the file, whatever it holds;
 * {@link #verify} shows any change of a byte.
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

  private Index(Container container) throws RefusedException {
    this.container = container;
    switch (container.kind()) {
      case MPHF -> {
        mphf = mphf(only(16, 21));
        needKeys(mphf.keys());
        Bytes section = container.section(1);
        signatures = section == null ? null : new Signatures(section);
        if (signatures != null) {
          needKeys(signatures.keys());
        }
      }
      case FILTER -> {
        filter = filter(only(32, 38));
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
      case STORE -> throw new RefusedException(RefusedException.Why.UNSUPPORTED, "a record store");
      case PART -> { }
    }
  }

  /** Maps a file and checks its structure, not its bulk. */
  public static Index open(Path path) throws IOException {
    return of(Bytes.map(path));
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

  private Filter filter(int type) throws RefusedException {
    Bytes data = container.section(type);
    need((container.function() == 2) == (type == 34), "the hash function of a section");
    return switch (type) {
      case 32 -> Ribbon.section(data, 64);
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
      case 48 -> Ribbon.section(data, 8);
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

  /** 32 hexadecimal digits: files of equal digests hold equal bytes. */
  public String digest() {
    return container.digest();
  }

  /** Reads and compares every byte of the file. */
  public void verify() throws RefusedException {
    try {
      container.verify();
    } catch (IndexOutOfBoundsException e) {
      throw new RefusedException(RefusedException.Why.CORRUPT, "the metadata is cut off");
    }
  }

  /** The rank of a key of the set, below {@link #keys}; of another key some rank, or none where signatures show it. */
  public OptionalLong rank(byte[] key) {
    needKind(Kind.MPHF);
    KeyHash hash = container.hash(key);
    if (container.keys() == 0) {
      return OptionalLong.empty();
    }
    long rank = mphf.rank(hash.hi(), hash.lo());
    return signatures != null && !signatures.has(rank, hash.lo()) ? OptionalLong.empty() : OptionalLong.of(rank);
  }

  /** Whether the filter may hold the key; true for every key of the set. */
  public boolean mayContain(byte[] key) {
    needKind(Kind.FILTER);
    KeyHash hash = container.hash(key);
    return container.keys() != 0 && filter.mayContain(hash.hi(), hash.lo());
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

  /** Whether a map's values are signed integers or decimals. */
  public boolean hasSignedValues() {
    return container.valueType() > Container.UNSIGNED;
  }

  /** The digits after the point of a map's values. */
  public int valueScale() {
    return container.scale();
  }

  private void needKind(Kind kind) {
    if (container.kind() != kind) {
      throw new IllegalStateException("a file of kind " + container.kind() + ", asked as one of kind " + kind);
    }
  }
}
