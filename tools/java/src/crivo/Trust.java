// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Whom a reader of signed files trusts: what a signature must have. All is checked, and then every byte, before a file
 * gives any answer; what fails is a {@link RefusedException} that says which check it was.
 *
 * @param keys any of these may have signed
 * @param minimumSequence a lower one is refused; a signature without one has 0. Unsigned
 * @param now a signature that expired by then is refused; null: by the time of the system
 * @param state a file that keeps the highest sequence seen of each file name, the last part of a path; a lower one is
 *     refused from then on. null: none is kept. Programs in Java can share it with each other, and with Crivo's own
 *     program and other languages if they do not open files at the same moment
 */
public record Trust(List<PublicKey> keys, long minimumSequence, Instant now, Path state) {
  public Trust {
    for (PublicKey key : Objects.requireNonNull(keys, "the keys are null")) {
      Objects.requireNonNull(key, "a key is null");
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("nobody is trusted: there is no key");
    }
    keys = List.copyOf(keys);
  }

  public Trust(PublicKey... keys) {
    this(Arrays.asList(Objects.requireNonNull(keys, "the keys are null")), 0, null, null);
  }

  public Trust withMinimumSequence(long sequence) {
    return new Trust(keys, sequence, now, state);
  }

  public Trust withNow(Instant time) {
    return new Trust(keys, minimumSequence, time, state);
  }

  public Trust withState(Path file) {
    return new Trust(keys, minimumSequence, now, file);
  }

  /**
   * What a signature says that was checked.
   *
   * @param keyId as {@link PublicKey#id}
   * @param sequence unsigned; 0: none
   * @param expires null: never
   * @param comment the trusted comment
   */
  public record Signed(String keyId, long sequence, Instant expires, String comment) {}
}
