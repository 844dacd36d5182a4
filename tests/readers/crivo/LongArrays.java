// SPDX-License-Identifier: Apache-2.0
package crivo;

/** Bytes of an array that is longer than what one mapping has. */
final class LongArrays {
  private LongArrays() {}

  public static void main(String[] args) {
    byte[] array = new byte[(1 << 30) + 16];
    for (int i = 0; i < 32; ++i) {
      array[(1 << 30) - 16 + i] = (byte) (i + 1);
    }
    Bytes bytes = Bytes.of(array);
    assert bytes.length() == array.length;
    for (int i = 0; i <= 24; ++i) {
      assert bytes.number((1 << 30) - 16 + i, 8) == bytes.u64((1 << 30) - 16 + i);
      assert bytes.u8((1 << 30) - 16 + i) == i + 1;
    }
    assert bytes.slice(1 << 30, 16).u8(15) == 32;
    assert bytes.slice((1 << 30) - 4, 8).copy()[7] == 20;
  }
}
