// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/small_set.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/cpu.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/columns.hpp"

namespace crivo::ribbon {

template <typename Value>
std::optional<SmallSolution> solve_small_set(HashPart part, Width width, std::uint64_t slots,
                                             std::span<const Hash128> keys,
                                             std::span<const Value> values,
                                             Band<std::uint64_t, Value>& band) {
  // In the order of their starts, in which a row meets few others on its way: what is solved does
  // not depend on it.
  struct Equation {
    std::uint64_t taken;
    std::uint64_t start;
    Value value;
  };
  std::vector<Equation> unsorted(keys.size());
  std::vector<Equation> sorted(keys.size());
  std::vector<std::uint32_t> ends(small_starts(slots) + 1);
  for (unsigned seed = 0; seed < kSmallSetSeeds; ++seed) {
    const SmallRows rows(part, seed, slots);
    std::ranges::fill(ends, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Hash128 key = keys[i];
      const std::uint64_t mixed = rows.mixed(key.hi, part == HashPart::whole ? key.lo : key.hi);
      unsorted[i] = {rows.taken(mixed), rows.start(mixed), values[i]};
      ++ends[unsorted[i].start + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const Equation& row : unsorted) sorted[ends[row.start]++] = row;
    band.begin(slots);
    const bool all = std::ranges::all_of(sorted, [&](const Equation& row) {
      return band.insert(kBlockSlots * row.start, row.taken, row.value);
    });
    if (!all) continue;
    SmallSolution solution{seed, {}};
    append_solution(band, {width.bits, slots, width.narrow_blocks(rows.starts())}, base::cpu(),
                    solution.blocks);
    return solution;
  }
  return std::nullopt;
}

template <typename Value>
base::Bytes build_small_set(Header header, std::span<const Hash128> keys,
                            std::span<const Value> values) {
  Band<std::uint64_t, Value> band;
  const auto solution =
      solve_small_set(header.part, header.width, small_slots(keys.size()), keys, values, band);
  if (!solution) {
    throw Error(ErrorKind::bad_input,
                "the hashes of the keys are not random enough for a ribbon; build with another "
                "seed",
                {.remedy = "keyed_hash"});
  }
  header.seed = solution->seed;
  base::Bytes section = encode(header);
  section.insert(section.end(), solution->blocks.begin(), solution->blocks.end());
  section.resize(section.size() + kEndPadding);
  return section;
}

template base::Bytes build_small_set(Header, std::span<const Hash128>,
                                     std::span<const std::uint8_t>);
template base::Bytes build_small_set(Header, std::span<const Hash128>,
                                     std::span<const std::uint16_t>);
template base::Bytes build_small_set(Header, std::span<const Hash128>,
                                     std::span<const std::uint32_t>);
template base::Bytes build_small_set(Header, std::span<const Hash128>,
                                     std::span<const std::uint64_t>);
template std::optional<SmallSolution> solve_small_set(HashPart, Width, std::uint64_t,
                                                      std::span<const Hash128>,
                                                      std::span<const std::uint8_t>,
                                                      Band<std::uint64_t, std::uint8_t>&);
template std::optional<SmallSolution> solve_small_set(HashPart, Width, std::uint64_t,
                                                      std::span<const Hash128>,
                                                      std::span<const std::uint16_t>,
                                                      Band<std::uint64_t, std::uint16_t>&);
template std::optional<SmallSolution> solve_small_set(HashPart, Width, std::uint64_t,
                                                      std::span<const Hash128>,
                                                      std::span<const std::uint32_t>,
                                                      Band<std::uint64_t, std::uint32_t>&);

SmallSet::SmallSet(const Header& header, const base::CheckedBytes& section)
    : rows_(header.part, header.seed, small_slots(header.n)), width_(header.width) {
  narrow_blocks_ = width_.narrow_blocks(rows_.starts());
  base::FieldReader fields(section, "ribbon section");
  fields.take(kHeaderBytes);
  const base::ByteView slots =
      fields.take_touched(layer_bytes(width_, small_slots(header.n), rows_.starts()));
  slots_ = slots.data();
  fields.zeros(kEndPadding);
  fields.expect_end();
  if (small_slots(header.n) < kBandBits) {
    // The kernels load all blocks of a row, of which the section has but the first.
    base::Bytes whole_row(slots.begin(), slots.end());
    whole_row.resize(std::size_t{kRowBlocks} * width_.bits + kEndPadding);
    whole_row_ = std::make_shared<const base::Bytes>(std::move(whole_row));
    slots_ = whole_row_->data();
  }
}

}  // namespace crivo::ribbon
