// SPDX-License-Identifier: Apache-2.0
#include "report/svg.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace crivo::report {
namespace {

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

const char* name_of(Svg::Anchor anchor) noexcept {
  switch (anchor) {
    case Svg::Anchor::start:
      return "start";
    case Svg::Anchor::middle:
      return "middle";
    case Svg::Anchor::end:
      break;
  }
  return "end";
}

}  // namespace

std::string formatted(const char* pattern, ...) {
  std::array<char, 512> text{};
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, values);
  va_end(values);
  return text.data();
}

void Svg::line(const Place& from, const Place& to, const std::string& stroke,
               const std::string& more) {
  body_ += formatted("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"", from.x,
                     from.y, to.x, to.y) +
           stroke + "\"" + more + "/>\n";
}

void Svg::polyline(const std::vector<Place>& places, const std::string& stroke,
                   const std::string& more) {
  body_ += "<polyline points=\"";
  for (const Place& place : places) body_ += formatted("%.1f,%.1f ", place.x, place.y);
  body_ += "\" fill=\"none\" stroke=\"" + stroke + "\"" + more + "/>\n";
}

void Svg::circle(const Place& centre, double radius, const std::string& colour, bool hollow) {
  body_ +=
      formatted("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"", centre.x, centre.y, radius) +
      (hollow ? "#fff\" stroke=\"" + colour + "\" stroke-width=\"1.5" : colour) + "\"/>\n";
}

void Svg::rectangle(const Box& box, const std::string& fill, const std::string& stroke) {
  body_ += formatted("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", box.left,
                     box.top, box.right - box.left, box.bottom - box.top) +
           fill + "\" stroke=\"" + stroke + "\"/>\n";
}

void Svg::text(const Place& place, Anchor anchor, const std::string& text,
               const std::string& more) {
  body_ += formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", place.x, place.y,
                     name_of(anchor)) +
           more + ">" + escaped(text) + "</text>\n";
}

void Svg::begin_clip(const Box& box) {
  body_ += formatted(
      "<clipPath id=\"clip%u\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
      "</clipPath>\n<g clip-path=\"url(#clip%u)\">\n",
      clips_, box.left, box.top, box.right - box.left, box.bottom - box.top, clips_);
  ++clips_;
}

void Svg::end_clip() {
  body_ += "</g>\n";
}

std::string Svg::write(double width, double height) const {
  return formatted(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
             "height=\"%g\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\" "
             "fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             width, height, width, height) +
         body_ + "</svg>\n";
}

}  // namespace crivo::report
