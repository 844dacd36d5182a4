// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The sections that a manifest makes of its parts: manifest.md. */
final class Served implements Sections {
  private static final int PAGE = 4096;
  private static final int MOST_ZEROS = 64; // pages
  private static final int HEAD = 24;
  private static final int PART = 48;
  private static final int SECTION = 32;
  private static final int RUN = 24;
  private static final int BUILD_ID = 96;
  private static final int DIGEST = 32;

  private record Key(long type, long tag) {}

  private final Container manifest;
  private final Bytes table;
  private final Kind kind;
  private final List<Container> parts = new ArrayList<>();
  private final Map<Key, Bytes> sections = new LinkedHashMap<>();

  /** Opens the parts, which are in the folder of the manifest or below. */
  Served(Container manifest, Path folder) throws IOException {
    this.manifest = manifest;
    table = manifest.section(112);
    need(table != null && manifest.section(113) != null, "the sections of a manifest");
    long number = table.u32(0);
    need(number >= 1 && number <= Kind.STORE.ordinal() + 1, "the kind of a manifest");
    kind = Kind.of(number);
    manifest.checkKind(kind);
    table.zero(4, 8);
    long count = table.u64(8);
    need(count > 0 && count <= table.length() / PART, "the number of parts");
    openParts(folder, (int) count);
    readSections();
  }

  private void openParts(Path folder, int count) throws IOException {
    long at = table.length();
    for (int i = 0; i < count; ++i) {
      at -= table.u64(HEAD + (long) PART * i + 40);
    }
    need(at >= HEAD + (long) PART * count, "the names of parts");
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; ++i) {
      long entry = HEAD + (long) PART * i;
      Bytes name = table.slice(at, table.u64(entry + 40));
      at += name.length();
      String text = Links.name(name);
      need(names.add(text), "a name");
      parts.add(part(folder, text, entry));
    }
  }

  private Container part(Path folder, String name, long entry) throws IOException {
    Path path = folder.resolve(name);
    need(Files.exists(path), name + " is missing");
    Container part = new Container(Bytes.map(path));
    need(part.kind() == Kind.PART, name + " is not a part");
    need(Arrays.equals(part.bytes(BUILD_ID, 16).copy(), manifest.bytes(BUILD_ID, 16).copy()),
        name + " belongs to another build");
    need(part.hasTree() || !manifest.hasTree(), name + " has no hash tree");
    need(Arrays.equals(part.rawDigest(), table.slice(entry, DIGEST).copy()) && part.length() == table.u64(entry + DIGEST),
        name + " is not the part that the manifest was made of");
    return part;
  }

  private void readSections() throws RefusedException {
    Bytes own = manifest.section(113);
    need(manifest.offset(113) % PAGE == 0, "its own pages");
    long names = table.length();
    for (int i = 0; i < parts.size(); ++i) {
      names -= table.u64(HEAD + (long) PART * i + 40);
    }
    long at = HEAD + (long) PART * parts.size();
    for (long left = table.u64(16); left > 0; --left) {
      Key key = new Key(table.u32(at), table.u64(at + 8));
      table.zero(at + 4, at + 8);
      long length = table.u64(at + 16);
      long runs = table.u64(at + 24);
      at += SECTION;
      need(runs >= 0 && runs <= table.length() / RUN, "the number of runs");
      List<Bytes> pages = new ArrayList<>();
      long all = 0;
      for (; runs > 0; --runs, at += RUN) {
        pages.add(run(at, own));
        all += pages.get(pages.size() - 1).length();
      }
      need(length >= 0 && length <= all && Bits.roundUp(length, PAGE) == all, "the pages of a section");
      need(sections.put(key, Joined.of(pages, length)) == null, "two sections of one type and tag");
    }
    need(at == names, "the length of the manifest");
  }

  private Bytes run(long at, Bytes own) throws RefusedException {
    long source = table.u32(at);
    long page = table.u64(at + 8);
    long pages = table.u64(at + 16);
    table.zero(at + 4, at + 8);
    if (source == 0) {
      need(page == 0 && pages > 0 && pages <= MOST_ZEROS, "a run of zeros");
      return Bytes.of(new byte[(int) pages * PAGE]);
    }
    need(source - 2 < parts.size(), "pages of no part");
    Bytes from = source == 1 ? own : parts.get((int) source - 2).bytes();
    long there = from.length() / PAGE;
    need(pages > 0 && pages <= there && page >= 0 && page <= there - pages, "pages that are in no file");
    return from.slice(page * PAGE, pages * PAGE);
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public List<Integer> types() {
    return sections.keySet().stream().map(Key::type).filter(type -> type < Container.SKIPPABLE).map(Long::intValue).toList();
  }

  @Override
  public Bytes section(long type, long tag) {
    return sections.get(new Key(type, tag));
  }

  /** The sections of a type. */
  TreeMap<Long, Bytes> byTag(long type) {
    TreeMap<Long, Bytes> found = new TreeMap<>();
    sections.forEach((key, bytes) -> {
      if (key.type == type) {
        found.put(key.tag, bytes);
      }
    });
    return found;
  }

  int parts() {
    return parts.size();
  }

  /** Compares every byte of the parts. */
  void verify() throws RefusedException {
    for (Container part : parts) {
      part.verify();
    }
    Bytes metadata = section(Container.METADATA);
    if (metadata != null) {
      Container.entries(metadata);
    }
  }
}
