// SPDX-License-Identifier: Apache-2.0
/// The elements of SVG that plots are made of.
#pragma once

#include <string>
#include <vector>

#include "report/labels.hpp"

namespace crivo::report {

/// printf's text.
__attribute__((format(printf, 1, 2))) std::string formatted(const char* pattern, ...);

/// A document, to which elements are added one over the other. Coordinates are pixels; `more` is
/// further attributes, each with a space before it.
class Svg {
 public:
  enum class Anchor { start, middle, end };

  void line(const Place& from, const Place& to, const std::string& stroke,
            const std::string& more = "");
  void polyline(const std::vector<Place>& places, const std::string& stroke,
                const std::string& more = "");
  /// Filled; a hollow one is white with a rim.
  void circle(const Place& centre, double radius, const std::string& colour, bool hollow);
  void rectangle(const Box& box, const std::string& fill, const std::string& stroke);
  /// Any text, which is escaped.
  void text(const Place& place, Anchor anchor, const std::string& text,
            const std::string& more = "");
  /// What is added between is cut off at the box.
  void begin_clip(const Box& box);
  void end_clip();

  /// The document, of that size.
  std::string write(double width, double height) const;

 private:
  std::string body_;
  unsigned clips_ = 0;
};

}  // namespace crivo::report
