// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/build/groups.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/arithmetic.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;

}  // namespace

base::Bytes encode_groups(const Totals& totals, const std::vector<Group>& groups) {
  base::FieldWriter out;
  out.u8(totals.grouped ? 1 : 0).zeros(7);
  out.u64(totals.members).u64(totals.universe).u64(totals.passing).u64(groups.size());
  out.align(kHeaderBytes);
  if (totals.grouped) {
    for (const Group& group : groups) out.u64(group.hash);
  }
  for (const Group& group : groups) out.u8(static_cast<std::uint8_t>(group.kind));
  return out.take();
}

}  // namespace crivo::exact
