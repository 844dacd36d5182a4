// SPDX-License-Identifier: Apache-2.0
#include "structures/signatures.hpp"

namespace crivo::mphf {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;

}  // namespace

Signatures::Signatures(const base::CheckedBytes& section, std::uint64_t keys)
    : pages_(section.checks) {
  base::FieldReader r(section, "signatures");
  bits_ = r.u32();
  r.zeros(4);
  const std::uint64_t count = r.u64();
  r.zeros(kHeaderBytes - 16);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (count != keys || r.remaining() / (bits_ / 8) != count || r.remaining() % (bits_ / 8) != 0) {
    r.fail("their number is not that of the keys");
  }
  form_ = bits_;
  data_ = r.take(r.remaining()).data();
}

}  // namespace crivo::mphf
