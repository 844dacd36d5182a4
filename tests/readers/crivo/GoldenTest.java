// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The Java reader over the golden files, the bad ones and 10,000 damaged ones: right, or refused.
 *
 * <p>java -cp ... crivo.GoldenTest FORMATS; prints what it has checked, and exits with 1 after the first that failed.
 */
public final class GoldenTest {
  private static final int ABSENT = 200; // keys behind those of the set, which are asked for too
  private static final int DAMAGED = 10_000;
  private static final int DAMAGED_CHAINS = 600;
  private static final int DAMAGED_MANIFESTS = 600;
  private static final int DAMAGED_STORES = 500; // of each
  private static final int DAMAGED_LOGS = 300; // of each

  private final Path golden;
  private final Map<String, List<byte[]>> keys = new HashMap<>();

  private GoldenTest(Path golden) {
    this.golden = golden;
  }

  public static void main(String[] args) throws IOException {
    GoldenTest test = new GoldenTest(Path.of(args[0], "golden"));
    test.goldenFiles();
    test.badFiles();
    test.damagedFiles();
    test.damagedStores();
    test.updatedStores();
    test.otherKinds();
    test.manifests();
    test.chains();
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      System.err.println("failed: " + what);
      System.exit(1);
    }
  }

  /** Names, and the fields of each. */
  private static Map<String, Map<String, String>> manifest(Path path) throws IOException {
    Map<String, Map<String, String>> entries = new LinkedHashMap<>();
    Map<String, String> fields = null;
    for (String line : Files.readAllLines(path)) {
      if (line.startsWith("  ")) {
        String[] field = line.strip().split(" +", 2);
        fields.put(field[0], field[1]);
      } else if (!line.isEmpty()) {
        fields = new HashMap<>();
        entries.put(line, fields);
      }
    }
    return entries;
  }

  private List<byte[]> lines(String name) throws IOException {
    List<byte[]> lines = keys.get(name);
    if (lines == null) {
      lines = new ArrayList<>();
      for (String line : Files.readString(golden.resolve(name), StandardCharsets.ISO_8859_1).split("\n")) {
        lines.add(line.getBytes(StandardCharsets.ISO_8859_1));
      }
      keys.put(name, lines);
    }
    return lines;
  }

  private List<String> names() throws IOException {
    return manifest(golden.resolve("manifest.txt")).keySet().stream().filter(name -> name.endsWith(".crv")).toList();
  }

  private List<String> stores() throws IOException {
    return manifest(golden.resolve("manifest.txt")).keySet().stream().filter(name -> name.startsWith("store")).toList();
  }

  private void goldenFiles() throws IOException {
    Map<String, Map<String, String>> entries = manifest(golden.resolve("manifest.txt"));
    List<String> named = new ArrayList<>(names());
    named.addAll(stores());
    for (String name : named) {
      Index index = Index.open(golden.resolve(name));
      index.verify();
      check(index.digest().equals(entries.get(name).get("digest")), name + ": its digest");
      String[] head = entries.get(name).get("keys").split(" "); // head -n COUNT FILE
      int asked = Integer.parseInt(head[2]) + ABSENT;
      List<byte[]> all = lines(head[3]);
      List<byte[]> answers = lines("answers/" + name + ".txt");
      check(answers.size() == Math.min(asked, all.size()), name + ": the number of its answers");
      for (int i = 0; i < answers.size(); ++i) {
        check(Arrays.equals(Main.answer(index, index.keyOf(all.get(i))), answers.get(i)), name + ": key " + i);
        check(!index.hasHashedIds() || index.id(all.get(i)).isEmpty() || index.hashedId(all.get(i)).equals(index.id(all.get(i))),
            name + ": hashed key " + i);
      }
    }
    System.out.println(named.size() + " golden files");
  }

  private static RefusedException.Why why(String error) {
    if (error.contains("not a Crivo file")) {
      return RefusedException.Why.FOREIGN;
    }
    return error.contains("newer") ? RefusedException.Why.TOO_NEW
        : error.contains("older") || error.contains("draft") ? RefusedException.Why.TOO_OLD : RefusedException.Why.CORRUPT;
  }

  private void badFiles() throws IOException {
    Map<String, Map<String, String>> entries = manifest(golden.resolve("bad/manifest.txt"));
    for (Map.Entry<String, Map<String, String>> entry : entries.entrySet()) {
      String name = entry.getKey();
      boolean sound = !entry.getValue().get("exit").equals("4"); // a part is sound too, but no index
      try {
        Index index = Index.open(golden.resolve("bad").resolve(name));
        index.verify();
        check(sound, name + ": is read");
      } catch (RefusedException refused) {
        check(!sound && refused.why() == why(entry.getValue().get("error")), name + ": " + refused.getMessage());
      }
    }
    System.out.println(entries.size() + " bad files");
  }

  private void damagedFiles() throws IOException {
    Random random = new Random(1);
    List<byte[]> sound = new ArrayList<>();
    for (String name : names()) {
      sound.add(Files.readAllBytes(golden.resolve(name)));
    }
    List<byte[]> asked = new ArrayList<>(lines("urls.txt").subList(0, 4));
    asked.add(new byte[0]);
    int onOpen = 0;
    for (int i = 0; i < DAMAGED; ++i) {
      byte[] data = sound.get(i % sound.size()).clone();
      if (i / sound.size() % 6 == 0) {
        data = java.util.Arrays.copyOf(data, random.nextInt(data.length));
      } else {
        int begin = random.nextInt(3) == 0 ? data.length - 180 : 0;
        int end = begin == 0 && random.nextBoolean() ? 280 : data.length;
        data[begin + random.nextInt(end - begin)] ^= (byte) (1 << random.nextInt(8));
      }
      Index index;
      try {
        index = Index.of(data);
      } catch (RefusedException refused) {
        ++onOpen;
        continue;
      }
      for (byte[] key : asked) {
        try {
          Main.answer(index, key);
        } catch (RefusedException refused) {
          check(index.kind() == Kind.DICTIONARY, "a lookup refuses");  // which reads the blocks as it goes
        }
        check(!index.hasHashedIds() || index.hashedId(key).orElse(0) <= Math.max(0, index.keys() - 1), "a hashed id");
        check(index.kind() != Kind.MPHF || index.rank(key).orElse(0) <= Math.max(0, index.keys() - 1), "a rank");
      }
      try {
        index.verify();
        check(false, names().get(i % sound.size()) + ", damaged: is read");
      } catch (RefusedException refused) {
        check(refused.why() == RefusedException.Why.CORRUPT, refused.getMessage());
      }
    }
    check(onOpen > DAMAGED / 4 && onOpen < DAMAGED * 9 / 10, onOpen + " refused on opening");
    System.out.println(DAMAGED + " damaged files, " + onOpen + " refused on opening");
  }

  private void damagedStores() throws IOException {
    Random random = new Random(2);
    List<byte[]> asked = new ArrayList<>(lines("words.txt").subList(0, 20));
    asked.add(new byte[0]);
    int cases = 0;
    for (String name : stores()) {
      byte[] index = Files.readAllBytes(golden.resolve(name).resolve("index.crv"));
      Index sound;
      byte[] records;
      try {
        sound = Index.open(golden.resolve(name));
        String data = "data-" + sound.digest().substring(0, 16) + (name.matches(".*(flat|ordered).*") ? ".crv" : ".mdb");
        records = Files.readAllBytes(golden.resolve(name).resolve(data));
      } catch (RefusedException zstd) {
        continue;
      }
      for (int i = 0; i < DAMAGED_STORES; ++i, ++cases) {
        boolean ofIndex = i % 2 == 0;
        byte[] data = (ofIndex ? index : records).clone();
        if (i % 9 == 0) {
          data = java.util.Arrays.copyOf(data, random.nextInt(data.length));
        } else {
          data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
        }
        Index damaged;
        try {
          damaged = ofIndex ? Index.of(data, records) : Index.of(index, data);
        } catch (RefusedException refused) {
          continue;
        }
        for (byte[] key : asked) {
          try {
            byte[] answer = Main.answer(damaged, key); // a damaged index may take a key for absent
            check(java.util.Arrays.equals(answer, Main.answer(sound, key)) || ofIndex && answer.length == 1, name);
          } catch (RefusedException refused) {
            continue;
          }
        }
        try {
          damaged.verify();
          check(false, name + ", damaged: is read");
        } catch (RefusedException refused) {
          check(refused.why() == RefusedException.Why.CORRUPT, refused.getMessage());
        }
      }
    }
    System.out.println(cases + " damaged stores");
  }

  /** What the word of a number has in the golden stores that were updated; null: nothing. */
  private static String updated(int number) {
    int turn = number % 7 == 0 ? 7 : number % 5 == 0 ? 5 : number % 3 == 0 ? 3 : 0;
    String text = "a word" + (turn == 0 ? "" : " of turn " + turn) + ", and its number is " + number;
    boolean isThere = number <= 2000 || turn != 0 && number <= 2600; // those after 2000 were added
    return isThere && number % 11 != 0 ? text : null;
  }

  private static boolean isUpdated(Index store, byte[] word, int number) throws RefusedException {
    String record = store.record(word).map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse(null);
    return java.util.Objects.equals(record, updated(number));
  }

  /** Also of damaged logs: right or refused, and refused when it is verified. */
  private void updatedStores() throws IOException {
    List<byte[]> words = lines("words.txt");
    Random random = new Random(4);
    for (String codec : List.of("tokens12", "zstd", "flat", "ordered")) {
      Path folder = golden.resolve("updated").resolve(codec);
      Index store = Index.open(folder);
      store.verify();
      for (int number = 1; number <= 2600 + ABSENT; ++number) {
        check(isUpdated(store, words.get(number - 1), number), codec + ", updated: word " + number);
      }
      Path copy = Files.createTempDirectory("crivo-test-");
      byte[] sound = null;
      Path log = null;
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Path to = copy.resolve(file.getFileName());
          if (file.toString().endsWith(".log")) {
            log = to;
            sound = Files.readAllBytes(file);
          } else {
            Files.copy(file, to);
          }
        }
      }
      for (int i = 0; i < DAMAGED_LOGS; ++i) {
        byte[] damaged = sound.clone();
        boolean ofFront = i % 4 == 0;
        int at = switch (i % 12) {
          case 0 -> random.nextInt(72);
          case 4 -> 512 + random.nextInt(72);
          case 8 -> random.nextInt(4096);
          default -> 4096 + random.nextInt(damaged.length - 4096);
        };
        damaged[at] ^= (byte) (1 << random.nextInt(8));
        Files.write(log, i % 10 == 9 ? java.util.Arrays.copyOf(damaged, at) : damaged);
        boolean answered = false;
        try {
          Index read = Index.open(copy);
          for (int number = 1; number <= 2000; number += 37) {
            check(isUpdated(read, words.get(number - 1), number), codec + ", a damaged log: word " + number);
          }
          answered = true;
          read.verify();
          check(false, codec + ", a damaged log: byte " + at);
        } catch (RefusedException refused) {
          check(!ofFront || i % 10 == 9 || answered, codec + ", the front of a log: byte " + at);
        }
      }
      for (int slot = 0; slot < 2; ++slot) { // with the last commit, whose record is not that of the commit before
        byte[] damaged = sound.clone();
        damaged[512 * slot + 41] ^= 1;
        damaged[damaged.length - 1] ^= 1;
        Files.write(log, damaged);
        boolean refused = false;
        try {
          Index.open(copy);
        } catch (RefusedException e) {
          refused = true;
        }
        check(refused, codec + ", slot " + slot + " and the last commit");
      }
      try (var files = Files.list(copy)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(copy);
    }
    System.out.println("updated stores");
  }

  private void otherKinds() throws IOException {
    Index map = Index.open(golden.resolve("map-1000.crv"));
    try {
      map.rank(new byte[0]);
      check(false, "a map has no ranks");
    } catch (IllegalStateException expected) {
      check(map.kind() == Kind.MAP && map.keys() == 1000, "kind and keys");
    }
  }

  /** Chains answer for the words as their numbers say, and are refused without a file of theirs. */
  private void chains() throws IOException {
    List<byte[]> words = lines("words.txt");
    for (String name : List.of("chain.crv", "chain-joined.crv")) {
      Index chain = Index.open(golden.resolve("chain").resolve(name));
      chain.verify();
      for (int number = 1; number <= 3000; ++number) {
        byte[] group = ("group" + number % (number > 2000 ? 9 : 5)).getBytes(StandardCharsets.UTF_8);
        Answer right = number % 23 == 0 ? Answer.MEMBER : Answer.OTHER;
        check(chain.answer(group, words.get(number - 1)) == right, name + ": word " + number);
      }
      byte[] group = "group3".getBytes(StandardCharsets.UTF_8);
      byte[][] some = {words.get(2), words.get(7), words.get(22)};
      Answer[] answers = {Answer.OTHER, Answer.OTHER, Answer.MEMBER};
      check(Arrays.equals(chain.group(group).answers(some), answers), name + ": a group");
      check(Arrays.equals(chain.answers(new byte[][] {group, group, group}, some), answers), name + ": pairs");
      check(chain.answer("group9".getBytes(StandardCharsets.UTF_8), words.get(0)) == Answer.OUTSIDE, name + ": group 9");
    }
    Index covers = Index.open(golden.resolve("exact-500.crv"));
    check(covers.covers("log", 20) && !covers.covers("log", 21) && !covers.covers("day", 1), "coverage");
    List<byte[]> urls = lines("urls.txt");
    check(covers.answer(new byte[0], urls.get(0), "log", 1) == Answer.MEMBER
        && covers.answer(new byte[0], urls.get(0), "log", 0) == Answer.OUTSIDE, "epochs");
    for (String name : List.of("chain.crv", "chain-joined.crv")) {
      Index chain = Index.open(golden.resolve("added").resolve(name));
      chain.verify();
      check(chain.isFilter() && words.subList(0, 1400).stream().allMatch(chain::mayContain), name + ": words");
      check(urls.subList(0, 6000).stream().allMatch(chain::mayContain), name + ": URLs");
      check(words.subList(1400, 3400).stream().filter(chain::mayContain).count() < 40, name + ": other words");
    }
    layers(words);
    groups(words);
    Path alone = Files.createTempDirectory("crivo-test-").resolve("chain.crv");
    Files.copy(golden.resolve("chain/chain.crv"), alone);
    try {
      Index.open(alone);
      check(false, "a chain without its files is read");
    } catch (RefusedException refused) {
      check(refused.getMessage().contains("base.crv is missing"), refused.getMessage());
    } finally {
      Files.delete(alone);
      Files.delete(alone.getParent());
    }
    Random random = new Random(3);
    for (int i = 0; i < DAMAGED_CHAINS; ++i) {
      String name = List.of("chain.crv", "delta-2.crv", "joined.crv").get(i % 3);
      byte[] data = Files.readAllBytes(golden.resolve(i % 2 == 0 ? "chain" : "added").resolve(name));
      data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        Index.of(data).verify();
        check(false, name + ", damaged: is read");
      } catch (RefusedException refused) {
        check(refused.why() != RefusedException.Why.UNSUPPORTED, refused.getMessage());
      }
    }
    System.out.println("chains");
  }

  /** A chain of an index of rows has the rows of all layers, but those of a file that was removed. */
  private void layers(List<byte[]> words) throws IOException {
    Index chain = Index.open(golden.resolve("layers/chain.crv"));
    chain.verify();
    check(chain.isRows() && chain.keys() == 1000, "a chain of rows");
    for (int number = 1; number <= 1100; ++number) {
      List<String> right = new java.util.ArrayList<>();
      if (number > 700 && number <= 900) {
        right.add(place("c", number - 700));
      }
      if (number > 400 && number <= 700) {
        right.add(place("b", number - 400));
      }
      if (number <= 500 && number % 3 != 1) {
        right.add(place("a", number));
      }
      List<String> found = chain.rows(words.get(number - 1)).stream()
          .map(row -> new String(row.file(), StandardCharsets.UTF_8) + " " + row.row()).toList();
      check(found.equals(right), "a chain of rows: word " + number);
    }
  }

  /** A chain of a filter set misses no key of a group that was not removed. */
  private void groups(List<byte[]> words) throws IOException {
    Index chain = Index.open(golden.resolve("groups/chain.crv"));
    chain.verify();
    check(chain.isFilterSet() && chain.keys() == 933, "a chain of filter sets");
    int further = 0;
    for (int number = 1; number <= 1100; ++number) {
      List<String> right = new ArrayList<>();
      if (number > 700 && number <= 900 && (number - 700) % 3 != 2) {
        right.add("a-" + (number - 700) % 3);
      }
      if (number > 400 && number <= 700 && (number - 400) % 3 != 1) {
        right.add("b-" + (number - 400) % 3);
      }
      if (number <= 500 && number % 3 == 2) {
        right.add("a-2");
      }
      List<String> found = chain.groupsOf(words.get(number - 1)).stream()
          .map(name -> new String(name, StandardCharsets.UTF_8)).toList();
      check(found.containsAll(right), "a chain of filter sets: word " + number);
      further += found.size() - right.size();
    }
    check(further < 40, "a chain of filter sets: its rate");
  }

  private static String place(String layer, int row) {
    return layer + "-" + row % 3 + ".parquet " + row;
  }

  /** Manifests answer as the files that their parts would be merged to; by their bytes alone they are refused. */
  private void manifests() throws IOException {
    Path served = golden.resolve("served");
    List<byte[]> right = lines("answers/mphf-3000-signatures.crv.txt");
    Index index = Index.open(served.resolve("manifest.crv"));
    index.verify();
    check(index.kind() == Kind.MPHF && index.keys() == 3000, "kind and keys of a manifest");
    for (int i = 0; i < right.size(); ++i) {
      check(java.util.Arrays.equals(Main.answer(index, lines("urls.txt").get(i)), right.get(i)), "a manifest: key " + i);
    }
    for (String codec : List.of("tokens12", "zstd")) {
      Index store = Index.open(served.resolve(codec + ".crv"));
      store.verify();
      for (int i = 0; i < 2200; ++i) {
        byte[] record = (i < 2000 ? "no. " + (i + 1) : "-").getBytes(StandardCharsets.UTF_8);
        check(java.util.Arrays.equals(Main.answer(store, lines("words.txt").get(i)), record), codec + ": key " + i);
      }
    }
    try {
      Index.of(Files.readAllBytes(served.resolve("manifest.crv")));
      check(false, "the bytes of a manifest are read");
    } catch (RefusedException refused) {
      check(refused.why() == RefusedException.Why.UNSUPPORTED, refused.getMessage());
      check(refused.getMessage().contains("a manifest, whose parts are other files"), refused.getMessage());
    }
    damagedManifests(served);
    System.out.println("manifests");
  }

  /** One file of a manifest is damaged, or missing. */
  private void damagedManifests(Path served) throws IOException {
    Random random = new Random(4);
    Path folder = Files.createTempDirectory("crivo-test-");
    List<String> names = List.of("tokens12.crv", "tokens12-0.crv", "tokens12-1.crv");
    List<byte[]> asked = new ArrayList<>(lines("words.txt").subList(1900, 2010));
    for (String name : names) {
      Files.copy(served.resolve(name), folder.resolve(name));
    }
    for (int i = 0; i < DAMAGED_MANIFESTS; ++i) {
      Path path = folder.resolve(names.get(i % 3));
      byte[] sound = Files.readAllBytes(path);
      byte[] data = sound.clone();
      if (i % 9 < 2) {
        data = java.util.Arrays.copyOf(data, random.nextInt(data.length));
      } else {
        data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.delete(path); // and not written over: it may be mapped
      if (i > 0) {
        Files.write(path, data);
      }
      try {
        Index index = Index.open(folder.resolve("tokens12.crv"));
        for (byte[] key : asked) {
          try {
            Main.answer(index, key);
          } catch (RefusedException refused) {
            continue;
          }
        }
        index.verify();
        check(false, path + ", damaged: is read");
      } catch (RefusedException refused) {
        check(refused.why() != RefusedException.Why.UNSUPPORTED, refused.getMessage());
      } catch (java.nio.file.NoSuchFileException missing) {
        check(i == 0, "a file is missing");
      }
      Files.deleteIfExists(path);
      Files.write(path, sound);
    }
    for (String name : names) {
      Files.delete(folder.resolve(name));
    }
    Files.delete(folder);
  }
}
