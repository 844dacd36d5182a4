// SPDX-License-Identifier: Apache-2.0
/// How an axis's values become pixels.
#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace crivo::report {

/// A value of an axis that is written beside it.
struct Tick {
  double pixel = 0;
  std::string text;
};

class Scale {
 public:
  /// From pixel `begin` at the least of the values to `end`, with a little room at both; values
  /// that are no numbers do not count. `zero`: a linear axis reaches 0, as bars do.
  Scale(const Axis& axis, const std::vector<double>& values, double begin, double end, bool zero);

  double at(double value) const noexcept;
  /// Where the axis begins: 0 for bars that stand on it, or the edge.
  double base() const noexcept;
  /// Round values, so that their texts do not meet.
  std::vector<Tick> ticks() const;

 private:
  bool is_free(double pixel, const std::string& text, const std::vector<Tick>& taken) const;
  std::vector<Tick> linear_ticks() const;
  std::vector<Tick> logarithmic_ticks() const;

  Axis axis_;
  double begin_;
  double end_;
  double low_ = 0;  ///< of a logarithmic axis: the distances from its floor
  double high_ = 1;
};

}  // namespace crivo::report
