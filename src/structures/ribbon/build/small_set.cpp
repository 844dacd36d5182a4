// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/small_set.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/cpu.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/build/columns.hpp"
#include "structures/ribbon/build/lock_step.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {
namespace {

/// A quarter of a small set's rows, which shares its band with the others (a Layer of
/// build/lock_step.hpp). What is solved does not depend on the order of the rows.
template <typename Value>
class Quarter {
 public:
  struct Row {
    std::uint64_t slot;
    std::uint64_t coefficients;
    Value value;
  };

  /// `spare` is a row of the band that no other reaches. `contradicted` is set when rows contradict
  /// each other.
  Quarter(std::span<const Row> rows, Row spare, Band<std::uint64_t, Value>& band,
          bool& contradicted)
      : rows_(rows), spare_(spare), band_(band), contradicted_(contradicted) {}

  Band<std::uint64_t, Value>& band() noexcept { return band_; }
  Row first() noexcept { return placed(0); }
  [[gnu::always_inline]] inline Row placed(std::uint64_t) noexcept {
    if (rows_.empty() || contradicted_) return spare_;
    const Row row = rows_.front();
    rows_ = rows_.subspan(1);
    return row;
  }
  Row cancelled(Value value) noexcept {
    if (value != 0) contradicted_ = true;
    return placed(0);
  }

 private:
  std::span<const Row> rows_;
  Row spare_;
  Band<std::uint64_t, Value>& band_;
  bool& contradicted_;
};

/// True if the rows, which `band` is too small for none of, contradict nothing. They ascend by
/// their slots: a row meets few others on its way, and rows of one quarter few of another.
template <typename Value>
bool insert_all(std::span<const typename Quarter<Value>::Row> rows, std::uint64_t slots,
                Band<std::uint64_t, Value>& band) {
  bool contradicted = false;
  const auto quarter = [&](std::size_t i) {
    const std::size_t begin = rows.size() * i / kLanes;
    return Quarter<Value>(rows.subspan(begin, rows.size() * (i + 1) / kLanes - begin),
                          {slots, 0, 0}, band, contradicted);
  };
  std::array<Quarter<Value>, kLanes> lanes{quarter(0), quarter(1), quarter(2), quarter(3)};
  eliminate_four(lanes[0], lanes[1], lanes[2], lanes[3]);
  return !contradicted;
}

}  // namespace

template <typename Value>
std::optional<SmallSolution> solve_small_set(HashPart part, Width width, std::uint64_t slots,
                                             std::span<const Hash128> keys,
                                             std::span<const Value> values,
                                             Band<std::uint64_t, Value>& band) {
  using Equation = typename Quarter<Value>::Row;
  std::vector<std::uint64_t> mixed(keys.size());
  std::vector<Equation> sorted(keys.size());
  std::vector<std::uint32_t> ends(small_starts(slots) + 1);
  for (unsigned seed = 0; seed < kSmallSetSeeds; ++seed) {
    const SmallRows rows(part, seed, slots);
    std::ranges::fill(ends, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Hash128 key = keys[i];
      mixed[i] = rows.mixed(key.hi, part == HashPart::whole ? key.lo : key.hi);
      ++ends[rows.start(mixed[i]) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint64_t start = rows.start(mixed[i]);
      sorted[ends[start]++] = {kBlockSlots * start, rows.taken(mixed[i]), values[i]};
    }
    band.begin(slots);
    if (!insert_all<Value>(sorted, slots, band)) continue;
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
  auto solution =
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

}  // namespace crivo::ribbon
