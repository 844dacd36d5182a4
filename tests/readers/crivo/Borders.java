// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * {@code Borders GOLDEN KEY CLASS...}: every public method and constructor of the classes with what no caller should give it, of
 * an index of each kind among the golden files: a line for each, the call, the parameter, what it is given, what comes of it.
 */
final class Borders {
  private Borders() {}

  private record Value(String what, Object value) {}

  private static Path golden;
  private static String key;

  public static void main(String[] args) throws Exception {
    golden = Path.of(args[0]);
    key = args[1];
    Map<String, Object> opened = new LinkedHashMap<>();
    for (String name : List.of("mphf-300.crv", "range-1000.crv", "map-2000-values.crv", "dictionary-2000-values.crv", "exact-500.crv", "store-500-ordered", "store-500")) {
      opened.put(name, Index.open(golden.resolve(name)));
    }
    for (String name : Arrays.copyOfRange(args, 2, args.length)) {
      Class<?> kind = Class.forName(name);
      if (!Modifier.isPublic(kind.getModifiers()) || kind == Main.class || kind.isEnum()) {
        continue;
      }
      for (Constructor<?> made : kind.getConstructors()) {
        if (kind != Trust.Signed.class && kind != RefusedException.class) {
          tryCall(kind.getSimpleName(), made, null);
        }
      }
      Method[] methods = kind.getDeclaredMethods();
      Arrays.sort(methods, Comparator.comparing(Method::toString));
      for (Method method : methods) {
        if (!Modifier.isPublic(method.getModifiers()) || method.getParameterCount() == 0 && kind != Index.class
            || List.of("equals", "hashCode", "toString").contains(method.getName()) || kind == Trust.Signed.class || kind == RefusedException.class) {
          continue;
        }
        for (Object of : Modifier.isStatic(method.getModifiers()) ? Arrays.asList((Object) null) : instances(kind, opened)) {
          tryCall(kind.getSimpleName() + "." + method.getName(), method, of);
        }
      }
    }
  }

  private static List<Object> instances(Class<?> kind, Map<String, Object> opened) {
    if (kind == Index.class) {
      return List.copyOf(opened.values());
    }
    if (kind == ExactGroup.class) {
      return List.of(((Index) opened.get("exact-500.crv")).group(new byte[0]));
    }
    return List.of(new Trust(PublicKey.of(key)));
  }

  private static void tryCall(String name, Executable call, Object of) {
    Class<?>[] types = call.getParameterTypes();
    Object[] right = new Object[types.length];
    for (int i = 0; i < types.length; ++i) {
      right[i] = right(name, types[i], i);
    }
    String answer = outcome(call, of, right);
    if (answer.startsWith("refused UnsupportedOperation") || answer.startsWith("refused IllegalState")) {
      return; // of another kind of index
    }
    row(name, "", "right", answer);
    row(name, "", "on another thread", same(answer, onThread(() -> outcome(call, of, right), false)));
    if (!name.equals("Index.open") && !name.equals("PublicKey.read")) {
      row(name, "", "in a thread that was interrupted", same(answer, onThread(() -> outcome(call, of, right), true)));
      row(name, "", "after that", same(answer, outcome(call, of, right)));
    }
    for (int i = 0; i < types.length; ++i) {
      for (Value hostile : hostile(types[i])) {
        Object[] given = right.clone();
        given[i] = hostile.value();
        String came = outcome(call, of, given);
        row(name, parameter(call, i), hostile.what(), came.startsWith("taken") ? "taken" : came);
      }
    }
  }

  private static String parameter(Executable call, int i) {
    return call.getParameters()[i].getName();
  }

  private static String same(String answer, String other) {
    return answer.equals(other) ? answer : "ANOTHER ANSWER: " + other + ", not " + answer;
  }

  private static String onThread(Callable<String> work, boolean isInterrupted) {
    FutureTask<String> task = new FutureTask<>(() -> {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
      return work.call();
    });
    Thread thread = new Thread(task);
    thread.start();
    try {
      return task.get();
    } catch (Exception e) {
      return "LEAKS " + e;
    }
  }

  private static Object right(String name, Class<?> type, int place) {
    if (type == byte[].class) {
      return name.equals("Index.of") ? read(place == 0 ? "store-500/index.crv" : "store-500/data-beb283fba571809b.mdb") : name.startsWith("Keys") ? new byte[] {'A', 'C'} : new byte[] {'a'};
    }
    if (type == byte[][].class) {
      return new byte[][] {{'a'}, {'b'}};
    }
    if (type == String.class) {
      return name.equals("Keys.of") ? "urls surt" : name.startsWith("PublicKey") ? key : "log";
    }
    if (type == Path.class) {
      return name.equals("PublicKey.read") ? golden.resolve("key.pub") : golden.resolve("mphf-300.crv");
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == Trust.class) {
      return new Trust(PublicKey.of(key));
    }
    if (type == PublicKey[].class) {
      return new PublicKey[] {PublicKey.of(key)};
    }
    return type == Instant.class ? Instant.EPOCH : type == List.class ? List.of(PublicKey.of(key)) : null;
  }

  private static byte[] read(String name) {
    try {
      return Files.readAllBytes(golden.resolve(name));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Value> hostile(Class<?> type) {
    List<Value> values = new ArrayList<>();
    if (!type.isPrimitive()) {
      values.add(new Value("null", null));
    }
    if (type == byte[].class) {
      values.add(new Value("no bytes", new byte[0]));
      values.add(new Value("2^20 bytes", new byte[1 << 20]));
    } else if (type == byte[][].class) {
      values.add(new Value("none", new byte[0][]));
      values.add(new Value("null in it", new byte[][] {null, null}));
      values.add(new Value("three", new byte[][] {{1}, {2}, {3}}));
    } else if (type == String.class) {
      for (String text : List.of("", "\0", "\ud800", "a".repeat(5000))) {
        values.add(new Value(text.isEmpty() ? "empty" : text.length() > 1 ? "5,000 characters" : text.charAt(0) == 0 ? "NUL" : "a lone surrogate", text));
      }
    } else if (type == Path.class) {
      values.add(new Value("empty", Path.of("")));
      values.add(new Value("the root", Path.of("/")));
      values.add(new Value("a missing file", Path.of("/nowhere/at all")));
      values.add(new Value("a device", Path.of("/dev/zero")));
    } else if (type == long.class) {
      values.add(new Value("-1", -1L));
      values.add(new Value("the smallest", Long.MIN_VALUE));
      values.add(new Value("the largest", Long.MAX_VALUE));
    } else if (type == PublicKey[].class) {
      values.add(new Value("none", new PublicKey[0]));
      values.add(new Value("null in it", new PublicKey[] {null}));
    } else if (type == List.class) {
      values.add(new Value("none", List.of()));
      values.add(new Value("null in it", Arrays.asList((Object) null)));
    } else if (type == Instant.class) {
      values.add(new Value("the first", Instant.MIN));
      values.add(new Value("the last", Instant.MAX));
    }
    return values;
  }

  /** "taken" with the answer, or what was thrown. */
  private static String outcome(Executable call, Object of, Object[] given) {
    try {
      Object answer = call instanceof Method method ? method.invoke(of, given) : ((Constructor<?>) call).newInstance(given);
      return "taken" + shown(answer);
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      boolean isOurs = thrown instanceof IOException || thrown.getClass() == IllegalArgumentException.class || thrown.getClass() == NullPointerException.class
          || thrown.getClass() == IndexOutOfBoundsException.class || thrown.getClass() == UnsupportedOperationException.class || thrown.getClass() == IllegalStateException.class;
      String message = String.valueOf(thrown.getMessage()).replaceAll("[^!-~]+", " ");
      // The JVM's own message names what is inside of a method.
      boolean isSaid = thrown.getMessage() != null && !message.contains("because") && !message.contains("Index ");
      return (isOurs && isSaid ? "refused " : "LEAKS ") + thrown.getClass().getSimpleName() + ": " + message.substring(0, Math.min(200, message.length()));
    } catch (ReflectiveOperationException e) {
      return "LEAKS " + e;
    }
  }

  private static String shown(Object answer) {
    if (answer == null || answer instanceof OptionalLong || answer instanceof Number || answer instanceof Boolean || answer instanceof Enum || answer instanceof String) {
      return " " + answer;
    }
    if (answer.getClass().isArray()) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < Array.getLength(answer); ++i) {
        all.append(shown(Array.get(answer, i)));
      }
      return all.toString();
    }
    return answer instanceof Optional<?> some ? some.map(Borders::shown).orElse(" empty") : " " + answer.getClass().getSimpleName();
  }

  private static void row(String call, String parameter, String what, String outcome) {
    System.out.println(String.join("\t", call, parameter, what, parameter.isEmpty() && outcome.startsWith("taken") ? "taken" : outcome));
  }
}
