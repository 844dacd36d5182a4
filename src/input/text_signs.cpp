// SPDX-License-Identifier: Apache-2.0
#include "input/text_signs.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

/// Whether some line of text ends with CR LF.
bool has_text_before_cr(std::string_view bytes) noexcept {
  for (std::size_t cr = bytes.find('\r'); cr != std::string_view::npos;
       cr = bytes.find('\r', cr + 1)) {
    if (cr + 1 == bytes.size() || bytes[cr + 1] != '\n') continue;
    const std::size_t before = bytes.substr(0, cr).rfind('\n');
    const std::string_view line = bytes.substr(before + 1, cr - before - 1);
    const bool has_controls = std::ranges::any_of(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
    if (!has_controls && is_utf8(line)) return true;
  }
  return false;
}

}  // namespace

TextSigns::TextSigns(Sources sources, const UnitFraming& framing)
    : sources_(std::move(sources)),
      framing_(framing),
      files_(std::make_unique<File[]>(sources_.size())) {}

void TextSigns::look_at(const Chunk& chunk) noexcept {
  if (!framing_.is_lines()) return;
  File& file = files_[chunk.start.file];
  if (chunk.blank_lines != 0) file.blank_lines += chunk.blank_lines;
  if (framing_.strip_cr) return;
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  if (!file.has_bare_lf.load(std::memory_order_relaxed)) see_every_line(bytes, file);
  if (file.has_bare_lf.load(std::memory_order_relaxed) &&
      !file.has_cr.load(std::memory_order_relaxed) && has_text_before_cr(bytes))
    file.has_cr.store(true, std::memory_order_relaxed);
}

void TextSigns::see_every_line(std::string_view bytes, File& file) noexcept {
  bool any_cr = false;
  // A last line without LF says nothing.
  for (std::size_t lf = bytes.find('\n'); lf != std::string_view::npos;
       lf = bytes.find('\n', lf + 1)) {
    if (lf == 0 || bytes[lf - 1] != '\r') {
      file.has_bare_lf.store(true, std::memory_order_relaxed);
      return;
    }
    any_cr = true;
  }
  if (any_cr) file.has_cr.store(true, std::memory_order_relaxed);
}

void TextSigns::read_again() noexcept {
  for (std::size_t f = 0; f < sources_.size(); ++f) files_[f].blank_lines = 0;
}

std::vector<std::uint8_t> TextSigns::seen() const {
  std::vector<std::uint8_t> all;
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    const File& file = files_[f];
    all.push_back(static_cast<std::uint8_t>((file.has_cr ? 1 : 0) | (file.has_bare_lf ? 2 : 0)));
  }
  return all;
}

void TextSigns::go_on_from(const std::vector<std::uint8_t>& seen) noexcept {
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    files_[f].has_cr = (seen[f] & 1) != 0;
    files_[f].has_bare_lf = (seen[f] & 2) != 0;
  }
}

std::vector<Warning> TextSigns::warnings() const {
  std::vector<Warning> warnings;
  for (std::size_t f = 0; f < sources_.size(); ++f) {
    const std::string name = input_name(sources_, f);
    if (files_[f].has_cr) {
      const char* const which = files_[f].has_bare_lf ? ": some lines end" : ": every line ends";
      warnings.push_back(
          {std::string(name).append(which) + " with a CR, which is part of it", "strip_cr"});
    }
    if (const std::uint64_t blank = files_[f].blank_lines; blank != 0) {
      warnings.push_back({.text = name + ": " + std::to_string(blank) +
                                  (blank == 1 ? " blank line was" : " blank lines were") +
                                  " left out"});
    }
  }
  return warnings;
}

}  // namespace crivo::input
