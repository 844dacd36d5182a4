// SPDX-License-Identifier: Apache-2.0
#include "report/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "report/labels.hpp"
#include "report/scale.hpp"
#include "report/svg.hpp"

namespace crivo::report {
namespace {

constexpr double kWidth = 860;
constexpr double kMargin = 16;
/// Around a panel's frame: room for the axes' numbers and titles.
constexpr double kLeft = 56;
constexpr double kBottom = 46;
constexpr double kPanelTitle = 22;
constexpr double kLineHeight = 16;
/// Told apart by the colour-blind too (Okabe and Ito).
constexpr std::array kColours{"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#000000"};
constexpr const char* kDashed = " stroke-dasharray=\"5 4\"";
constexpr double kBars = 0.8;        // the part of the room between two values that their bars take
constexpr double kSlant = 20;        // of names that have no room, in degrees
constexpr double kSmallPoint = 2.6;  ///< of lines; points by themselves are larger

bool has_line(Series::Style style) {
  return style == Series::Style::line || style == Series::Style::line_points ||
         style == Series::Style::steps;
}
bool has_points(Series::Style style) {
  return style == Series::Style::points || style == Series::Style::line_points;
}

/// Whether they have one line of the legend.
bool look_alike(const Series& a, const Series& b) {
  return a.title == b.title && a.style == b.style && a.reference == b.reference;
}

/// A line of the legend.
struct Entry {
  const Series* series;
  std::string colour;
};

/// One for each title and look among the panels' series.
std::vector<Entry> entries_of(const Plot& plot) {
  std::vector<Entry> entries;
  std::vector<std::string> coloured;  // titles, in the colours' order
  for (const Panel& panel : plot.panels) {
    for (const Series& series : panel.series) {
      if (std::ranges::any_of(
              entries, [&](const Entry& entry) { return look_alike(*entry.series, series); })) {
        continue;
      }
      const std::string& kin = series.coloured_as.empty() ? series.title : series.coloured_as;
      const auto at = std::ranges::find(coloured, kin) - coloured.begin();
      if (at == std::ssize(coloured)) coloured.push_back(kin);
      entries.push_back({&series, kColours[static_cast<std::size_t>(at) % kColours.size()]});
    }
  }
  return entries;
}

const std::string& colour_of(const Series& series, const std::vector<Entry>& entries) {
  const auto is_its = [&](const Entry& entry) { return look_alike(*entry.series, series); };
  return std::ranges::find_if(entries, is_its)->colour;
}

/// Words into lines of at most `width` pixels; a word that is longer has a line to itself.
std::vector<std::string> wrapped(const std::string& text, double width) {
  std::vector<std::string> lines;
  const auto letters = static_cast<std::size_t>(width / kLetterWidth);
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (end - begin > letters) {
      end = text.rfind(' ', begin + letters);
      if (end == std::string::npos || end <= begin)
        end = std::min(text.find(' ', begin), text.size());
    }
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// How far the names of an axis reach below where level ones do: 0 if there is room for such.
double names_depth(const Axis& axis, double width) {
  std::size_t longest = 0;
  for (const std::string& name : axis.names) longest = std::max(longest, name.size());
  const auto letters = static_cast<double>(longest);
  if (kLetterWidth * letters <= width / std::max(1.0, static_cast<double>(axis.names.size()))) {
    return 0;
  }
  constexpr double kSmallLetter = kLetterWidth * 10 / 12;
  return kSmallLetter * letters * std::sin(kSlant * std::numbers::pi / 180);
}

/// Draws a panel into a frame.
class PanelDrawing {
 public:
  PanelDrawing(const Panel& panel, const Box& frame, const std::vector<Entry>& entries, Svg& svg)
      : panel_(panel),
        frame_(frame),
        entries_(entries),
        svg_(svg),
        x_(panel.x, values_of(true), frame.left, frame.right, false),
        y_(panel.y, values_of(false), frame.bottom, frame.top, bars() != 0) {}

  void draw() {
    grid();
    svg_.begin_clip({frame_.left, frame_.top - 1, frame_.right, frame_.bottom + 1});
    const double bar = kBars / static_cast<double>(bars());
    double shift = (bar - kBars) / 2;  // of the next bar's middle from its value
    for (const Series& series : panel_.series) {
      const bool is_bar = series.style == Series::Style::bars;
      if (is_bar) draw_bars(series, shift, bar);
      if (has_line(series.style)) draw_line(series);
      draw_intervals(series, is_bar ? shift : 0);
      if (is_bar) shift += bar;
    }
    svg_.end_clip();
    for (const Series& series : panel_.series) draw_points(series);
    draw_labels();
    svg_.rectangle(frame_, "none", "#888");
  }

 private:
  std::size_t bars() const {
    return static_cast<std::size_t>(
        std::ranges::count(panel_.series, Series::Style::bars, &Series::style));
  }

  std::vector<double> values_of(bool x) const {
    std::vector<double> values;
    for (const Series& series : panel_.series) {
      for (const Point& point : series.points) {
        if (x) {
          values.push_back(point.x);
        } else {
          values.insert(values.end(), {point.y, point.low, point.high});
        }
      }
    }
    if (x && bars() != 0 && panel_.x.names.empty() && !panel_.x.logarithmic && !values.empty()) {
      const auto [low, high] = std::ranges::minmax(values);  // a bar's width beyond its value
      values.insert(values.end(), {low - 0.5, high + 0.5});
    }
    return values;
  }

  Place place_of(const Point& point) const { return {x_.at(point.x), y_.at(point.y)}; }

  bool is_seen(const Place& place) const {
    constexpr double kRim = 1;
    return place.x >= frame_.left - kRim && place.x <= frame_.right + kRim &&
           place.y >= frame_.top - kRim && place.y <= frame_.bottom + kRim;
  }

  void grid() {
    constexpr const char* kGrey = "#e4e4e4";
    const std::vector<Tick> ticks = x_.ticks();
    const double depth = names_depth(panel_.x, frame_.right - frame_.left);
    for (const Tick& tick : ticks) {
      svg_.line({tick.pixel, frame_.top}, {tick.pixel, frame_.bottom}, kGrey);
      const Place place{tick.pixel, frame_.bottom + 17};
      if (depth > 0) {
        svg_.text(place, Svg::Anchor::end, tick.text,
                  formatted(" font-size=\"10\" transform=\"rotate(-%g %.1f %.1f)\"", kSlant,
                            place.x, place.y));
      } else {
        svg_.text(place, Svg::Anchor::middle, tick.text);
      }
    }
    for (const Tick& tick : y_.ticks()) {
      svg_.line({frame_.left, tick.pixel}, {frame_.right, tick.pixel}, kGrey);
      svg_.text({frame_.left - 7, tick.pixel + 4}, Svg::Anchor::end, tick.text);
    }
    svg_.text({(frame_.left + frame_.right) / 2, frame_.bottom + 37 + depth}, Svg::Anchor::middle,
              panel_.x.title);
    const double middle = (frame_.top + frame_.bottom) / 2;
    const double beside = frame_.left - kLeft + 12;
    svg_.text({beside, middle}, Svg::Anchor::middle, panel_.y.title,
              formatted(" transform=\"rotate(-90 %.1f %.1f)\"", beside, middle));
    svg_.text({frame_.left, frame_.top - 7}, Svg::Anchor::start, panel_.title,
              " font-weight=\"bold\"");
  }

  /// Bars of width `width` in values of x, `shift` from theirs.
  void draw_bars(const Series& series, double shift, double width) {
    for (const Point& point : series.points) {
      const double left = x_.at(point.x + shift - width / 2);
      const double right = x_.at(point.x + shift + width / 2);
      const std::pair<double, double> sides = std::minmax({y_.at(point.y), y_.base()});
      const std::string& colour = colour_of(series, entries_);
      svg_.rectangle({left, sides.first, right, sides.second}, series.reference ? "#fff" : colour,
                     colour);
    }
  }

  void draw_line(const Series& series) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const Place place = place_of(series.points[i]);
      if (series.style != Series::Style::steps) {
        places.push_back(place);
        continue;
      }
      const auto half_way = [&](std::size_t other) {
        return (place.x + x_.at(series.points[other].x)) / 2;
      };
      if (i == 0) places.push_back({place.x, y_.base()});
      places.push_back({i == 0 ? place.x : half_way(i - 1), place.y});
      const bool last = i + 1 == series.points.size();
      places.push_back({last ? place.x : half_way(i + 1), place.y});
      if (last) places.push_back({place.x, y_.base()});
    }
    svg_.polyline(places, colour_of(series, entries_),
                  std::string(" stroke-width=\"1.6\"") + (series.reference ? kDashed : ""));
  }

  void draw_intervals(const Series& series, double shift) {
    constexpr double kCap = 3;
    const std::string colour =
        series.style == Series::Style::bars ? "#222" : colour_of(series, entries_);
    for (const Point& point : series.points) {
      if (std::isnan(point.low) || std::isnan(point.high)) continue;
      const double x = x_.at(point.x + shift);
      const double low = y_.at(point.low);
      const double high = y_.at(point.high);
      svg_.line({x, low}, {x, high}, colour);
      svg_.line({x - kCap, low}, {x + kCap, low}, colour);
      svg_.line({x - kCap, high}, {x + kCap, high}, colour);
    }
  }

  void draw_points(const Series& series) {
    if (!has_points(series.style)) return;
    const bool named =
        std::ranges::any_of(series.points, [](const Point& point) { return !point.label.empty(); });
    for (const Point& point : series.points) {
      if (const Place place = place_of(point); is_seen(place)) {
        svg_.circle(place, named ? kPointRadius : kSmallPoint, colour_of(series, entries_),
                    series.reference);
      }
    }
  }

  void draw_labels() {
    std::vector<Place> places;
    std::vector<std::string> texts;
    for (const Series& series : panel_.series) {
      for (const Point& point : series.points) {
        const Place place = place_of(point);
        if (point.label.empty() || !is_seen(place)) continue;
        places.push_back(place);
        texts.push_back(point.label);
      }
    }
    const std::vector<Label> labels = place_labels(places, texts, frame_);
    for (const Label& label : labels) {
      if (label.joined) svg_.line(label.from, label.to, "#999");
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      // In the middle of its box, wherever the reader's font is narrower than the estimate.
      const Box& box = labels[i].box;
      const double baseline = box.bottom - 3;
      if (box.right <= places[i].x) {
        svg_.text({box.right, baseline}, Svg::Anchor::end, texts[i], " class=\"label\"");
      } else if (box.left >= places[i].x) {
        svg_.text({box.left, baseline}, Svg::Anchor::start, texts[i], " class=\"label\"");
      } else {
        svg_.text({(box.left + box.right) / 2, baseline}, Svg::Anchor::middle, texts[i],
                  " class=\"label\"");
      }
    }
  }

  const Panel& panel_;
  Box frame_;
  const std::vector<Entry>& entries_;
  Svg& svg_;
  Scale x_;
  Scale y_;
};

/// Draws the legend from `top` down; the y below it.
double draw_legend(const std::vector<Entry>& entries, double top, Svg& svg) {
  constexpr double kMark = 22;
  if (entries.size() < 2) return top;
  double x = kMargin;
  for (const Entry& entry : entries) {
    const Series& series = *entry.series;
    const double width = kMark + 20 + kLetterWidth * static_cast<double>(series.title.size());
    if (x > kMargin && x + width > kWidth) {
      x = kMargin;
      top += kLineHeight;
    }
    const double middle = top + kLineHeight / 2;
    if (series.style == Series::Style::bars) {
      svg.rectangle({x + 6, middle - 5, x + 16, middle + 5},
                    series.reference ? "#fff" : entry.colour, entry.colour);
    }
    if (has_line(series.style)) {
      svg.line({x, middle}, {x + kMark, middle}, entry.colour,
               std::string(" stroke-width=\"1.6\"") + (series.reference ? kDashed : ""));
    }
    if (has_points(series.style)) {
      svg.circle({x + kMark / 2, middle}, kPointRadius, entry.colour, series.reference);
    }
    svg.text({x + kMark + 5, middle + 4}, Svg::Anchor::start, series.title);
    x += width;
  }
  return top + kLineHeight;
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const std::vector<Entry> entries = entries_of(plot);
  Svg svg;
  double y = 26;
  svg.text({kMargin, y}, Svg::Anchor::start, plot.title, " font-size=\"15\" font-weight=\"bold\"");
  for (const std::string& line : wrapped(plot.subtitle, kWidth - 2 * kMargin)) {
    svg.text({kMargin, y += kLineHeight}, Svg::Anchor::start, line,
             " font-size=\"11\" fill=\"#555\"");
  }
  y = draw_legend(entries, y + 8, svg) + 8;

  const std::size_t columns =
      std::clamp<std::size_t>(plot.columns, 1, std::max<std::size_t>(plot.panels.size(), 1));
  const double across = kWidth / static_cast<double>(columns);
  const double width = across - kLeft - kMargin;
  const double height = columns == 1 ? 0.56 * width : 0.72 * width;
  for (std::size_t begin = 0; begin < plot.panels.size(); begin += columns) {
    const std::size_t end = std::min(begin + columns, plot.panels.size());
    const auto row = std::span(plot.panels).subspan(begin, end - begin);
    double depth = 0;
    for (const Panel& panel : row) depth = std::max(depth, names_depth(panel.x, width));
    if (std::ranges::any_of(row, [](const Panel& panel) { return !panel.title.empty(); })) {
      y += kPanelTitle;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const double left = across * static_cast<double>(i - begin) + kLeft;
      PanelDrawing(plot.panels[i], {left, y, left + width, y + height}, entries, svg).draw();
    }
    y += height + kBottom + depth;
  }
  return svg.write(kWidth, y);
}

}  // namespace crivo::report
