// SPDX-License-Identifier: Apache-2.0
package crivo;

import java.util.Objects;

/** One group of an exact set or a chain, for many lookups: {@link Index#group}. */
public final class ExactGroup {
  private final Container file;
  private final Exact exact;
  private final KeyHash name;

  ExactGroup(Container file, Exact exact, byte[] name) {
    this.file = file;
    this.exact = exact;
    this.name = file.hash(name).ofGroup();
  }

  /** What is known of a key of the group. */
  public Answer answer(byte[] key) {
    return exact.answer(file.hash(key), name);
  }

  /** The same of many keys. */
  public Answer[] answers(byte[][] keys) {
    Answer[] answers = new Answer[Objects.requireNonNull(keys, "the keys are null").length];
    for (int i = 0; i < keys.length; ++i) {
      answers[i] = answer(keys[i]);
    }
    return answers;
  }
}
