// SPDX-License-Identifier: Apache-2.0
#include "report/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace crivo::report {
namespace {

/// How far a label's nearest corner or side is from its point.
constexpr std::array kDistances{7.0,  12.0, 18.0, 26.0,  34.0,  44.0,
                                56.0, 70.0, 90.0, 115.0, 145.0, 180.0};
/// Directions, in 16ths of a turn clockwise from "right"; beside is better than above, above than
/// aslant.
constexpr std::array kDirections{0, 8, 12, 4, 14, 10, 2, 6, 15, 1, 9, 7, 13, 11, 3, 5};
constexpr double kJoinBeyond = 10;

Box around(const Place& point) {
  constexpr double kRoom = kPointRadius + 1;
  return {point.x - kRoom, point.y - kRoom, point.x + kRoom, point.y + kRoom};
}

/// Whether two points' circles do: a line from one cannot help crossing the other.
bool overlap(const Place& a, const Place& b) {
  return std::hypot(a.x - b.x, a.y - b.y) < 2 * kPointRadius;
}

/// The point of `box` that is nearest to `place`.
Place nearest(const Box& box, const Place& place) {
  return {std::clamp(place.x, box.left, box.right), std::clamp(place.y, box.top, box.bottom)};
}

bool crosses(const Label& line, const Box& box) {
  constexpr double kStep = 2;
  const double dx = line.to.x - line.from.x;
  const double dy = line.to.y - line.from.y;
  const int steps = static_cast<int>(std::hypot(dx, dy) / kStep) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double x = line.from.x + dx * i / steps;
    const double y = line.from.y + dy * i / steps;
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

/// A label of that box, with the line from the point's rim to it.
Label label_of(const Place& point, const Box& box, bool joined) {
  Label label{box, joined, {}, nearest(box, point)};
  const double reach = std::hypot(label.to.x - point.x, label.to.y - point.y);
  const double rim = reach > 0 ? kPointRadius / reach : 0;
  label.from = {point.x + rim * (label.to.x - point.x), point.y + rim * (label.to.y - point.y)};
  return label;
}

Label candidate(const Place& point, double width, double distance, int direction) {
  const double angle = 2 * std::numbers::pi * direction / 16;
  const double dx = std::cos(angle);
  const double dy = std::sin(angle);
  // The box leaves the point on the side of the direction, and is centred where that is none.
  const double left = point.x + dx * distance + (dx - 1) / 2 * width;
  const double top = point.y + dy * distance + (dy - 1) / 2 * kLabelHeight;
  return label_of(point, {left, top, left + width, top + kLabelHeight}, distance > kJoinBeyond);
}

class Placing {
 public:
  Placing(const std::vector<Place>& points, const Box& frame) : points_(points), frame_(frame) {}

  /// A label that fits, as near to its point as may be; nothing if there is none.
  std::optional<Label> place(std::size_t point, double width) {
    for (const double distance : kDistances) {
      for (const int direction : kDirections) {
        const Label label = candidate(points_[point], width, distance, direction);
        if (!fits(label, point)) continue;
        placed_.push_back(label);
        return label;
      }
    }
    return std::nullopt;
  }

  /// For a point all around which is taken: the free box that is nearest to it, wherever in the
  /// frame that is, by a line that may cross others; nothing if the frame is full.
  std::optional<Label> place_far(std::size_t point, double width) {
    constexpr double kStep = kLabelHeight / 2;
    std::optional<Label> best;
    double least = 0;
    for (double top = frame_.top; top + kLabelHeight <= frame_.bottom; top += kStep) {
      for (double left = frame_.left; left + width <= frame_.right; left += kStep) {
        const Label label =
            label_of(points_[point], {left, top, left + width, top + kLabelHeight}, true);
        const double reach = std::hypot(label.to.x - label.from.x, label.to.y - label.from.y);
        if ((best && reach >= least) || !is_free(label.box)) continue;
        best = label;
        least = reach;
      }
    }
    if (best) placed_.push_back(*best);
    return best;
  }

 private:
  bool is_free(const Box& box) const {
    return std::none_of(points_.begin(), points_.end(),
                        [&](const Place& point) { return box.meets(around(point)); }) &&
           std::none_of(placed_.begin(), placed_.end(),
                        [&](const Label& other) { return box.meets(other.box); });
  }

  bool fits(const Label& label, std::size_t point) const {
    if (!label.box.within(frame_)) return false;
    for (std::size_t other = 0; other < points_.size(); ++other) {
      const Box spot = around(points_[other]);
      if (label.box.meets(spot)) return false;
      if (label.joined && !overlap(points_[other], points_[point]) && crosses(label, spot))
        return false;
    }
    return std::none_of(placed_.begin(), placed_.end(), [&](const Label& other) {
      return label.box.meets(other.box) || (label.joined && crosses(label, other.box)) ||
             (other.joined && crosses(other, label.box));
    });
  }

  const std::vector<Place>& points_;
  const Box& frame_;
  std::vector<Label> placed_;
};

}  // namespace

std::vector<Label> place_labels(const std::vector<Place>& points,
                                const std::vector<std::string>& texts, const Box& frame) {
  // The crowded points choose first.
  std::vector<double> crowd(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const Place& other : points) {
      crowd[i] += 1 / (20 + std::hypot(points[i].x - other.x, points[i].y - other.y));
    }
  }
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return crowd[a] > crowd[b]; });

  // Where one finds no room it goes first in the next attempt.
  constexpr int kAttempts = 20;
  std::vector<Label> labels(points.size());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Placing placing(points, frame);
    std::vector<std::size_t> left_over;
    for (const std::size_t i : order) {
      const double width = kLetterWidth * static_cast<double>(texts[i].size());
      const std::optional<Label> label = placing.place(i, width);
      if (!label) left_over.push_back(i);
      if (label) labels[i] = *label;
    }
    if (left_over.empty()) break;
    if (attempt + 1 == kAttempts) {
      for (const std::size_t i : left_over) {
        const double width = kLetterWidth * static_cast<double>(texts[i].size());
        labels[i] = placing.place_far(i, width).value_or(
            candidate(points[i], width, kDistances[0], kDirections[0]));
      }
    }
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
      return std::find(left_over.begin(), left_over.end(), i) != left_over.end();
    });
  }
  return labels;
}

}  // namespace crivo::report
