// SPDX-License-Identifier: Apache-2.0
#include "input/input_sample.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "input/compression.hpp"
#include "input/input_bytes.hpp"
#include "input/line_fields.hpp"

namespace crivo::input {
namespace {

constexpr std::uint64_t kLongPart = std::uint64_t{64} << 20;
constexpr std::uint64_t kPieces = 32;
constexpr std::size_t kPieceBytes = std::size_t{16} << 10;

std::uint64_t scaled(std::uint64_t count, std::uint64_t bytes, std::uint64_t seen) noexcept {
  if (seen == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(count) /
                                    static_cast<double>(seen));
}

/// The same as sample_file() by the beginning alone, which is where it is known what is in quotes.
std::optional<std::uint64_t> sample_quoted(const InputFile& file, const UnitFraming& framing) {
  std::vector<char> begin(kPieces * kPieceBytes);
  const auto read = std::span(begin).first(file.read_at(0, begin));
  if (detect_compression(read, true) != Compression::none) return std::nullopt;
  const std::string_view text(read.data(), read.size());
  QuotedLines lines(framing.column_delimiter);
  (void)lines.whole(text);
  return scaled(lines.lines(), file.size(), text.size());
}

/// About how many units a file holds; nothing if it is compressed.
std::optional<std::uint64_t> sample_file(const InputFile& file, const UnitFraming& framing) {
  if (framing.quotes) return sample_quoted(file, framing);
  std::vector<char> piece(kPieceBytes);
  std::uint64_t seen = 0;
  std::uint64_t delimiters = 0;
  const std::uint64_t pieces = std::min(kPieces, file.size() / kPieceBytes + 1);
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const auto read =
        std::span(piece).first(file.read_at(i * (file.size() / pieces), std::span(piece)));
    if (i == 0 && detect_compression(read, true) != Compression::none) return std::nullopt;
    if (!framing.delimiter) return file.size() / framing.width;
    seen += read.size();
    delimiters += static_cast<std::uint64_t>(std::ranges::count(read, *framing.delimiter));
  }
  if (delimiters >= pieces) return scaled(delimiters, file.size(), seen * framing.delimiters);
  // If units are longer than a piece, the first ones tell more.
  delimiters = seen = 0;
  piece.resize(std::size_t{1} << 20);
  while (seen < std::min(file.size(), kLongPart)) {
    const auto read = std::span(piece).first(file.read_at(seen, std::span(piece)));
    if (read.empty()) break;
    seen += read.size();
    delimiters += static_cast<std::uint64_t>(std::ranges::count(read, *framing.delimiter));
  }
  return scaled(std::max(delimiters, std::uint64_t{1}), file.size(), seen * framing.delimiters);
}

}  // namespace

InputSample sample_input(const Sources& sources, const UnitFraming& framing) {
  check_framing(sources, framing);
  InputSample sample{.bytes = regular_input_bytes(sources), .units = {}};
  if (sources.source) sample.units = sources.source->size();
  if (!sample.bytes || sources.source) return sample;
  std::uint64_t units = 0;
  for (const std::string& path : sources.paths) {
    const std::optional<std::uint64_t> of_file = sample_file(InputFile(path), framing);
    if (!of_file) return sample;
    units += *of_file;
  }
  sample.units = units;
  return sample;
}

}  // namespace crivo::input
