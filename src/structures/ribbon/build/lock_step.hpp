// SPDX-License-Identifier: Apache-2.0
/// The elimination of several layers at once, whatever their rows.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/cpu.hpp"
#include "structures/ribbon/build/band.hpp"

namespace crivo::ribbon {

/// Layers that are eliminated together.
inline constexpr unsigned kLanes = 4;

/// The state of a layer's elimination that every step touches. A `Layer` has a band(), a Row of
/// {slot, coefficients, value} whose coefficients are 0 if no keys are left, and the next row to
/// insert from first(), placed(slot) and cancelled(value).
template <typename Layer>
struct Lane {
  decltype(std::declval<Layer&>().band().coefficients()) coefficients;
  decltype(std::declval<Layer&>().band().values()) values;
  typename Layer::Row row;

  /// One step of the row's reduction: it is placed, or meets the row that is placed there. True if
  /// the layer has no rows left.
  [[gnu::always_inline]] inline bool step(Layer& layer) {
    const auto pivot = coefficients[row.slot];
    if (pivot == 0) {
      if (row.coefficients == 0) return false;
      coefficients[row.slot] = row.coefficients;
      values[row.slot] = row.value;
      row = layer.placed(row.slot);
      return row.coefficients == 0;
    }
    row.coefficients ^= pivot;
    row.value ^= values[row.slot];
    if (row.coefficients == 0) {
      row = layer.cancelled(row.value);
      return row.coefficients == 0;
    }
    const unsigned skip = trailing_zeros(row.coefficients);
    row.coefficients >>= skip;
    row.slot += skip;
    return false;
  }
};

/// Inserts the keys of some layers in lock step: each waits for its own chain of loads and shifts,
/// so together they take little longer than one. A layer that is done goes on placing an empty row.
template <typename... Layers>
[[gnu::always_inline]] inline void eliminate_inlined(Layers&... layers) {
  const auto run = [&](auto... lanes) __attribute__((always_inline)) {
    unsigned active = (0U + ... + (lanes.row.coefficients != 0 ? 1U : 0U));
    while (active != 0) ((active -= lanes.step(layers) ? 1U : 0U), ...);
  };
  run(Lane<Layers>{layers.band().coefficients(), layers.band().values(), layers.first()}...);
}

template <typename... Layers>
void eliminate(Layers&... layers) {
  eliminate_inlined(layers...);
}

#if defined(__x86_64__)
/// The same with shifts by a register and counts of zeros that take one instruction each.
template <typename... Layers>
__attribute__((target("bmi,bmi2"))) void eliminate_bmi(Layers&... layers) {
  eliminate_inlined(layers...);
}
#endif

/// Eliminates four layers together, which may share a band: a step reads it before it writes.
template <typename Layer>
void eliminate_four(Layer& a, Layer& b, Layer& c, Layer& d) {
#if defined(__x86_64__)
  if (base::cpu() >= base::Cpu::avx2) return eliminate_bmi(a, b, c, d);
#endif
  eliminate(a, b, c, d);
}

/// Eliminates up to kLanes layers, together if there are several; make_idle() returns a layer of no
/// keys.
template <typename Layer, typename MakeIdle>
void eliminate_together(const std::vector<Layer*>& layers, MakeIdle make_idle) {
  if (layers.empty()) return;
  if (layers.size() == 1) return eliminate(*layers[0]);
  Layer idle = make_idle();
  std::array<Layer*, kLanes> lanes;
  lanes.fill(&idle);
  std::ranges::copy(layers, lanes.begin());
  eliminate_four(*lanes[0], *lanes[1], *lanes[2], *lanes[3]);
}

}  // namespace crivo::ribbon
