// SPDX-License-Identifier: Apache-2.0
#include "structures/part_signatures.hpp"

#include <bit>
#include <utility>

#include "structures/signatures.hpp"

namespace crivo::mphf {
PartSignatures::PartSignatures(const std::vector<SignatureRun>& runs,
                               const base::CheckedBytes& bumped, std::uint64_t keys)
    : pages_(bumped.checks) {
  base::FieldReader r(bumped, "signatures of parts");
  bits_ = r.u32();
  r.zeros(4);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (r.u64() != keys) r.fail("their number is not that of the keys");
  const std::uint64_t count = r.u64();
  const std::uint64_t width = bits_ / 8;
  bumped_ = BumpedRanks(r, keys, count);
  if (count > r.remaining() / width) r.fail("there are too few");
  signatures_ = r.take(count * width).data();
  r.expect_end();
  log_bytes_ = static_cast<unsigned>(std::countr_zero(width));
  std::vector<RankRuns<const std::byte*>::Run> followed;
  followed.reserve(runs.size());
  std::uint64_t next = 0;
  for (const SignatureRun& run : runs) {
    const std::uint64_t size = run.bytes.size() / width;
    if (run.first != next || run.bytes.size() % width != 0 || size > keys - next)
      r.fail("their runs do not follow one another");
    followed.push_back({next, size, run.bytes.data()});
    next += size;
  }
  runs_ = {std::move(followed), keys};
}

std::uint32_t PartSignatures::load(const std::byte* signature) const noexcept {
  pages_.touch(signature, bits_ / 8);
  switch (bits_) {
    case 8:
      return base::load_le<std::uint8_t>(signature);
    case 16:
      return base::load_le<std::uint16_t>(signature);
    default:
      return base::load_le<std::uint32_t>(signature);
  }
}

std::uint32_t PartSignatures::at(std::uint64_t rank) const noexcept {
  const std::byte* const kept = in_run(rank);
  const std::uint32_t signature = kept != nullptr ? load(kept) : 0;
  return signature != 0 ? signature : of_bumped(rank);
}

std::uint32_t PartSignatures::of_bumped(std::uint64_t rank) const noexcept {
  const std::uint64_t bumped_key = bumped_.find(rank);
  return bumped_key != bumped_.count() ? load(signatures_ + bumped_key * (bits_ / 8)) : 0;
}

}  // namespace crivo::mphf
