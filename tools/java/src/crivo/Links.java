// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Section 121: the files of a chain (delta.md). */
final class Links {
  private static final int DIGEST = 32;
  private static final int HEADER = 40;
  private static final int LINK = 48;
  private static final long MOST_FILES = 1 << 20;
  private static final int LONGEST_NAME = 4096;

  private record Link(byte[] digest, long length, String name) {}

  private final Bytes state;
  private final List<Link> links = new ArrayList<>();

  Links(Bytes data) throws RefusedException {
    state = data.slice(0, DIGEST);
    long count = data.u64(DIGEST);
    need(count >= 1 && count <= Math.min(MOST_FILES, data.length() / LINK), "the number of files");
    long name = HEADER + LINK * count;
    for (long at = HEADER; at < HEADER + LINK * count; at += LINK) {
      Bytes text = data.slice(name, data.u64(at + 40));
      name += text.length();
      links.add(new Link(data.slice(at, DIGEST).copy(), data.u64(at + DIGEST), name(text)));
    }
    need(name == data.length(), "the length of the links");
  }

  /** A name that leads below the folder. */
  static String name(Bytes text) throws RefusedException {
    need(text.length() <= LONGEST_NAME, "a name");
    byte[] name = text.copy();
    for (byte some : name) {
      need(some < 0 || some >= 0x20 && some != '\\', "a name");
    }
    String decoded = new String(name, StandardCharsets.UTF_8);
    for (String part : decoded.split("/", -1)) {
      need(!part.isEmpty() && !part.equals(".") && !part.equals(".."), "a name");
    }
    return decoded;
  }

  /** Opens the files, which are in the folder of the chain or below: the base, then the deltas. */
  List<Container> open(Path folder, Signatures signatures) throws IOException {
    List<Container> files = new ArrayList<>();
    for (Link link : links) {
      Path path = folder.resolve(link.name);
      need(Files.exists(path), link.name + " is missing");
      boolean isLast = files.size() + 1 == links.size();
      SignatureCheck check = signatures == null ? null : signatures.of(path, isLast, folder.resolve(links.get(0).name));
      Bytes data = Bytes.map(path);
      Container file = new Container(data);
      need(isLink(file.kind(), files.isEmpty() ? null : files.get(0).kind()), "the kind of " + link.name);
      need(Arrays.equals(file.rawDigest(), link.digest) && data.length() == link.length,
          link.name + " is not the file that the chain was made of");
      if (check != null) {
        check.checkBytes(file);
      } else if (signatures != null) {
        need(file.hasTree(), link.name + " has no hash tree, so that the signature of the chain does not cover it");
        file.verify();
      }
      files.add(file);
    }
    need(files.size() >= 2 || hasLayers(files.get(0).kind()), "the number of files");
    return files;
  }

  /** Whether a file of a kind may follow the first of a chain, or be that. */
  private static boolean isLink(Kind kind, Kind first) {
    if (first == null) {
      return kind == Kind.EXACT || kind == Kind.FILTER || hasLayers(kind);
    }
    return kind == (hasLayers(first) ? first : Kind.DELTA);
  }

  /** Whether the files of a chain of a kind stand by themselves. */
  private static boolean hasLayers(Kind kind) {
    return kind == Kind.ROWS || kind == Kind.FILTER_SET;
  }

  /** What the files have come to. */
  Bytes state() {
    return state;
  }

  /**
   * What signatures say of a chain and its files. That of the chain, where one lies beside it, is of all its files;
   * without one each file must be signed. How new a chain is says its signature, or else that of its last file.
   */
  static final class Signatures {
    private final Path chain;
    private final Trust trust;
    private final boolean isSigned; // the chain itself
    private SignatureCheck newest;

    Signatures(Path chain, Container own, Trust trust) throws IOException {
      this.chain = chain;
      this.trust = trust;
      isSigned = Files.exists(SignatureCheck.beside(chain));
      if (isSigned) {
        newest = new SignatureCheck(chain, List.of(chain.getFileName().toString()), trust);
        newest.checkBytes(own);
      }
    }

    /** Of a file of the chain; null where that of the chain is enough. */
    private SignatureCheck of(Path path, boolean isLast, Path base) throws IOException {
      if (isSigned) {
        return Files.exists(SignatureCheck.beside(path)) ? new SignatureCheck(path, List.of(), trust) : null;
      }
      if (!isLast) {
        return new SignatureCheck(path, List.of(), trust);
      }
      newest = new SignatureCheck(path, List.of(chain.getFileName().toString(), base.getFileName().toString()), trust);
      return newest;
    }

    /** By which the whole is known. */
    SignatureCheck newest() {
      return newest;
    }
  }

  /** Takes up the delta of a file, which follows those before it. */
  interface Follow {
    /** Returns the number of members after it. */
    long follow(Delta delta, Container file, long members) throws RefusedException;
  }

  /** Lets the base, the first of `files`, follow the deltas; returns the number of members after them. */
  long follow(List<Container> files, Follow base) throws RefusedException {
    byte[] first = files.get(0).rawDigest();
    byte[] reached = first;
    long number = 1;
    long members = files.get(0).keys();
    for (Container file : files.subList(1, files.size())) {
      need(file.section(120) != null, "no flips");
      Delta delta = new Delta(file.section(120));
      need(Arrays.equals(delta.base.copy(), first) && delta.number == number
          && Arrays.equals(delta.before.copy(), reached), "a delta does not follow");
      need(file.seed() == files.get(0).seed() && file.function() == files.get(0).function(), "the hash of a delta");
      members = base.follow(delta, file, members);
      reached = delta.after(file.rawDigest());
      number += delta.lists.size();
    }
    need(Arrays.equals(reached, state.copy()), "the state of the chain");
    return members;
  }

  /** The layers that a delta adds to a filter; none of another delta. */
  static List<Filter> layers(Container file) throws RefusedException {
    need(file.section(120) != null, "no flips");
    Delta delta = new Delta(file.section(120));
    List<Filter> layers = new ArrayList<>();
    long keys = 0;
    for (int tag = 0; delta.ofFilter && tag < delta.lists.size(); ++tag) {
      need(file.section(32, tag) != null, "the layers of a delta");
      Filter layer = Ribbon.section(file.section(32, tag), true);
      keys += layer.keys();
      need(tag == 0 || delta.members.get(tag - 1) + layer.keys() == delta.members.get(tag), "the keys of a layer");
      layers.add(layer);
    }
    need(file.types().stream().filter(type -> type == 32).count() == layers.size(), "the layers of a delta");
    need((delta.ofFilter ? keys : delta.flips) == file.keys(), "the header and the flips or layers disagree on n");
    return layers;
  }
}
