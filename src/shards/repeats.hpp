// SPDX-License-Identifier: Apache-2.0
/// Equal keys, as a file of keys and the totals note them (formats/parts.md): 0 there are none, 1
/// the first counts; of records also 2 the last, 3 all of theirs. Where keys have prefixes, 1 in
/// the second byte, and the delimiter in the third.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "crivo/build/options.hpp"

namespace crivo::index {

inline constexpr std::uint64_t kHasPrefixes = 1 << 8;

template <typename Table>
std::uint64_t encode_repeats(const Table& table) noexcept {
  const std::uint64_t code =
      table.drops_repeats ? 1 + static_cast<std::uint64_t>(table.repeated) : 0;
  if (!table.prefixes) return code;
  return code | kHasPrefixes | std::uint64_t{static_cast<unsigned char>(*table.prefixes)} << 16;
}

template <typename Table>
void take_repeats(base::FieldReader& r, bool of_records, Table& table) {
  const std::uint64_t field = r.u64();
  const std::uint64_t code = field & 0xff;
  const std::uint64_t rest = field >> 8;
  const bool has_prefixes = (field & kHasPrefixes) != 0;
  if (code > (of_records ? 3U : 1U) || (has_prefixes ? code != 1 || rest >> 16 != 0 : rest != 0))
    r.fail("damaged: it says of equal keys what no version does");
  table.drops_repeats = code != 0;
  table.repeated = code > 1 ? RepeatedRecords{static_cast<int>(code) - 1} : RepeatedRecords::first;
  if (has_prefixes) table.prefixes = static_cast<char>(static_cast<unsigned char>(field >> 16));
}

}  // namespace crivo::index
