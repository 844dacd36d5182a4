// SPDX-License-Identifier: Apache-2.0
package crivo;

/** What an exact set says of a key. */
public enum Answer {
  /** In the universe, and no member. */
  OTHER,
  /** A member. */
  MEMBER,
  /** Of a group that the universe lacks. */
  OUTSIDE
}
