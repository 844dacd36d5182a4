// SPDX-License-Identifier: Apache-2.0
#include "input/text_signs.hpp"

#include <string_view>
#include <utility>

#include "input/places.hpp"

namespace crivo::input {

TextSigns::TextSigns(Sources sources, const UnitFraming& framing)
    : sources_(std::move(sources)),
      framing_(framing),
      files_(std::make_unique<File[]>(sources_.size())) {}

void TextSigns::see(const Chunk& chunk) noexcept {
  if (!framing_.is_lines()) return;
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  bool any_cr = false;
  File& file = files_[chunk.start.file];
  if (framing_.strip_cr || file.has_bare_lf.load(std::memory_order_relaxed)) return;
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
    if (files_[f].has_cr && !files_[f].has_bare_lf) {
      warnings.push_back({name + ": every line ends with a CR, which is part of it", "strip_cr"});
    }
  }
  return warnings;
}

}  // namespace crivo::input
