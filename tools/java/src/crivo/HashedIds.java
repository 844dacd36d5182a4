// SPDX-License-Identifier: Apache-2.0
package crivo;

import static crivo.RefusedException.need;

import java.util.OptionalLong;

/** Sections 16 and 86 of a dictionary: ids by the hashes of keys (formats/dictionary.md, "Hashed ids"). */
final class HashedIds {
  private static final int HEAD = 16;
  private static final int MOST_ENTRY = 56; // bits

  private final Mphf mphf;
  private final Bytes data;
  private final int signatureBits;
  private final int entryBits;

  HashedIds(Mphf mphf, Bytes data) throws RefusedException {
    this.mphf = mphf;
    this.data = data;
    long n = mphf.keys();
    need(data.u64(0) == n, "the number of the hashed ids");
    signatureBits = data.u8(8);
    data.zero(9, HEAD);
    entryBits = signatureBits + (n < 2 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(n - 1));
    need((signatureBits == 8 || signatureBits == 16) && entryBits <= MOST_ENTRY, "the signatures of the hashed ids");
    long used = HEAD + Bits.ceilDiv(n * entryBits, 8);
    need(data.length() == HEAD + Bits.roundUp(used - HEAD + 7, 8), "the length of the hashed ids");
    data.zero(used, data.length());
  }

  long keys() {
    return mphf.keys();
  }

  /** The id of the key with this hash; of some other hashes some id. */
  OptionalLong id(KeyHash hash) {
    if (keys() == 0) {
      return OptionalLong.empty();
    }
    long bit = mphf.rank(hash.hi(), hash.lo()) * entryBits;
    long entry = data.u64(HEAD + bit / 8) >>> bit % 8 & Bits.mask(entryBits);
    long id = entry >>> signatureBits;
    return (entry & Bits.mask(signatureBits)) == Bits.first(hash.lo(), signatureBits) && id < keys()
        ? OptionalLong.of(id) : OptionalLong.empty();
  }
}
