// SPDX-License-Identifier: Apache-2.0
#include "input/text_units.hpp"

#include "crivo/build/keys.hpp"
#include "input/for_each_chunk.hpp"
#include "input/units.hpp"

namespace crivo::input {
namespace {

bool is_blank(std::string_view line) noexcept {
  return line.empty() || line == "\r";
}

/// Puts the lines of chunks together to paragraphs.
class Paragraphs {
 public:
  explicit Paragraphs(std::uint64_t max_bytes, const VisitUnits& visit)
      : max_bytes_(max_bytes), visit_(visit) {}

  void take(const Chunk& chunk) {
    if (chunk.start.file != file_) finish();
    file_ = chunk.start.file;
    some_.clear();
    open_ = {};
    for_each_delimited(chunk, '\n',
                       [&](std::string_view line, std::uint64_t index, std::size_t offset) {
                         take_line(line, place_in(chunk, index, offset));
                       });
    // A unit that is open goes on in the next chunk, if that is of the same file.
    if (!open_.empty()) {
      begun_ += begun_.empty() ? "" : "\n";
      begun_ += open_;
    }
    if (!some_.empty()) visit_(some_);
  }

  /// Ends the last paragraph of a file.
  void finish() {
    if (begun_.empty()) return;
    const std::string_view last = begun_;
    visit_(std::span(&last, 1));
    begun_.clear();
  }

 private:
  void take_line(std::string_view line, const Place& place) {
    if (is_blank(line)) {
      end();
      return;
    }
    // The lines of a paragraph lie one behind the other in the chunk.
    open_ = open_.empty() ? line
                          : std::string_view(
                                open_.data(),
                                static_cast<std::size_t>(line.data() + line.size() - open_.data()));
    if (begun_.size() + open_.size() > max_bytes_) {
      throw InputFault(place, "the paragraph is longer than the limit of " +
                                  std::to_string(max_bytes_) + " bytes");
    }
  }

  void end() {
    if (!begun_.empty()) {
      if (!open_.empty()) (begun_ += '\n') += open_;
      finish();
    } else if (!open_.empty()) {
      some_.push_back(open_);
    }
    open_ = {};
  }

  std::uint64_t max_bytes_;
  const VisitUnits& visit_;
  std::size_t file_ = 0;
  std::vector<std::string_view> some_;
  std::string_view open_;  ///< of the chunk at hand
  std::string begun_;      ///< in the chunks before
};

}  // namespace

void for_each_unit(const std::vector<std::string>& paths, TextUnit unit, std::uint64_t max_bytes,
                   Progress& progress, const VisitUnits& visit) {
  const KeyInput input{paths, {}};
  UnitFraming framing = UnitFraming::of_keys(input.format);
  framing.max_bytes = max_bytes;
  framing.limit = nullptr;
  ChunkReader reader(input, framing, {.in_order = true, .eager = true});
  std::vector<std::string_view> lines;
  Paragraphs paragraphs(max_bytes, visit);
  for_each_chunk(reader, input, framing, {1, progress}, [&](unsigned, const Chunk& chunk) {
    if (unit == TextUnit::paragraph) return paragraphs.take(chunk);
    lines.clear();
    for_each_delimited(chunk, '\n', [&](std::string_view line, std::uint64_t, std::size_t) {
      lines.push_back(line);
    });
    visit(lines);
  });
  paragraphs.finish();
}

}  // namespace crivo::input
