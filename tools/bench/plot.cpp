#include "bench/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "bench/labels.hpp"

namespace crivo::bench {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 560;
constexpr Box kFrame{70, 64, kWidth - 20, kHeight - 52};
/// Told apart by the colour-blind too (Okabe and Ito).
constexpr std::array kColours{"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#000000"};

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, values);
  va_end(values);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Text that keeps to its class's font; `anchor` is start, middle or end.
std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* more = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more) +
         escaped(text) + "</text>\n";
}

/// Maps values to pixels.
class Axis {
 public:
  Axis(const Plot& plot, double Point::*value, double floor, double begin, double end)
      : floor_(floor), begin_(begin), end_(end) {
    const auto& points = plot.points;
    low_ = high_ = points.empty() ? 1 : above(points[0].*value);
    for (const Point& point : points) {
      low_ = std::min(low_, above(point.*value));
      high_ = std::max(high_, above(point.*value));
    }
    const double room = std::max(1.25, std::pow(high_ / low_, 0.06));
    low_ /= room;
    high_ *= room;
  }

  double at(double value) const {
    return begin_ + (end_ - begin_) * std::log(above(value) / low_) / std::log(high_ / low_);
  }

  /// Round values that are not too near to each other, the roundest first.
  std::vector<double> ticks() const {
    constexpr double kApart = 36;
    constexpr double kMargin = 6;
    static const std::vector<std::vector<double>> kDigits{
        {1}, {2, 5}, {1.5, 3, 4, 7}, {1.6, 1.8, 2.5, 6, 8}, {1.45, 1.48, 1.55, 1.7, 2.2}};
    std::vector<double> found;
    std::vector<double> pixels;
    const double first = std::pow(10, std::floor(std::log10(floor_ + low_)));
    for (const std::vector<double>& digits : kDigits) {
      for (double decade = first; decade <= floor_ + high_; decade *= 10) {
        for (const double digit : digits) {
          const double value = decade * digit;
          if (value <= floor_) continue;
          const double pixel = at(value);
          const bool free = std::none_of(pixels.begin(), pixels.end(), [&](double other) {
            return std::abs(pixel - other) < kApart;
          });
          const auto [low, high] = std::minmax(begin_, end_);
          if (!free || pixel < low + kMargin || pixel > high - kMargin) continue;
          found.push_back(value);
          pixels.push_back(pixel);
        }
      }
    }
    return found;
  }

 private:
  double above(double value) const { return std::max(value - floor_, 0.01); }

  double floor_;
  double begin_;
  double end_;
  double low_ = 1;
  double high_ = 1;
};

std::string grid(const Axis& x, const Axis& y) {
  std::string svg;
  const auto line = [](double x1, double y1, double x2, double y2) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>\n",
                  x1, y1, x2, y2);
  };
  for (const double tick : x.ticks()) {
    svg += line(x.at(tick), kFrame.top, x.at(tick), kFrame.bottom);
    svg += text_at(x.at(tick), kFrame.bottom + 18, "middle", format("%g", tick));
  }
  for (const double tick : y.ticks()) {
    svg += line(kFrame.left, y.at(tick), kFrame.right, y.at(tick));
    svg += text_at(kFrame.left - 8, y.at(tick) + 4, "end", format("%g", tick));
  }
  return svg + format(
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                   "stroke=\"#888\"/>\n",
                   kFrame.left, kFrame.top, kFrame.right - kFrame.left, kFrame.bottom - kFrame.top);
}

std::string point_at(const Place& place, const char* colour) {
  return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", place.x, place.y,
                kPointRadius, colour);
}

std::vector<std::string> groups_of(const Plot& plot) {
  std::vector<std::string> groups;
  for (const Point& point : plot.points) {
    if (std::find(groups.begin(), groups.end(), point.group) == groups.end()) {
      groups.push_back(point.group);
    }
  }
  return groups;
}

std::string legend(const std::vector<std::string>& groups) {
  std::string svg;
  double x = kFrame.left + kPointRadius;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    svg += point_at({x, kFrame.top - 14}, kColours[g % kColours.size()]);
    svg += text_at(x + 10, kFrame.top - 10, "start", groups[g]);
    x += 34 + kLetterWidth * static_cast<double>(groups[g].size());
  }
  return svg;
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const Axis x(plot, &Point::x, plot.x.floor, kFrame.left, kFrame.right);
  const Axis y(plot, &Point::y, plot.y.floor, kFrame.bottom, kFrame.top);
  std::vector<Place> places;
  std::vector<std::string> texts;
  for (const Point& point : plot.points) {
    places.push_back({x.at(point.x), y.at(point.y)});
    texts.push_back(point.label);
  }
  const std::vector<Label> labels = place_labels(places, texts, kFrame);
  const std::vector<std::string> groups = groups_of(plot);

  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
      "height=\"%g\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      kWidth, kHeight, kWidth, kHeight);
  svg += text_at(kFrame.left, 26, "start", plot.title, " font-size=\"15\" font-weight=\"bold\"");
  svg += legend(groups) + grid(x, y);
  svg += text_at((kFrame.left + kFrame.right) / 2, kHeight - 12, "middle", plot.x.title);
  const double middle = (kFrame.top + kFrame.bottom) / 2;
  svg += text_at(18, middle, "middle", plot.y.title,
                 format(" transform=\"rotate(-90 18 %.1f)\"", middle).c_str());
  for (const Label& label : labels) {
    if (!label.joined) continue;
    svg += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999\"/>\n",
                  label.from.x, label.from.y, label.to.x, label.to.y);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto group = std::find(groups.begin(), groups.end(), plot.points[i].group);
    const auto colour = static_cast<std::size_t>(group - groups.begin()) % kColours.size();
    svg += point_at(places[i], kColours[colour]);
    // In the middle of its box, wherever the reader's font is narrower than the estimate.
    const Box& box = labels[i].box;
    const bool leftwards = box.right <= places[i].x;
    const bool rightwards = box.left >= places[i].x;
    svg += text_at(leftwards    ? box.right
                   : rightwards ? box.left
                                : (box.left + box.right) / 2,
                   box.bottom - 3,
                   leftwards    ? "end"
                   : rightwards ? "start"
                                : "middle",
                   texts[i], " class=\"label\"");
  }
  return svg + "</svg>\n";
}

}  // namespace crivo::bench
