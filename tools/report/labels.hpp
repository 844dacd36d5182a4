// SPDX-License-Identifier: Apache-2.0
/// Where the names of a plot's points go.
#pragma once

#include <string>
#include <vector>

namespace crivo::report {

struct Place {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& other) const noexcept {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool within(const Box& other) const noexcept {
    return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
  }
};

inline constexpr double kLabelHeight = 14;   ///< of a text of 12 pixels, in pixels
inline constexpr double kLetterWidth = 7.2;  ///< an upper estimate of the mean
inline constexpr double kPointRadius = 4.5;

/// A label's box, and whether it is so far from its point that a line must join them.
struct Label {
  Box box;
  bool joined = false;
  Place from, to;  ///< of the line
};

/// A box for the text of each point, in the points' order: within `frame`, over no point, no other
/// label and, where there is room for that, no line (of points that lie on each other, none but
/// each other's). Labels overlap only if the frame is full, with hundreds of points. O(points^2).
std::vector<Label> place_labels(const std::vector<Place>& points,
                                const std::vector<std::string>& texts, const Box& frame);

}  // namespace crivo::report
