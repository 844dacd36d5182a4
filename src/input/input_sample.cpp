// SPDX-License-Identifier: Apache-2.0
#include "input/input_sample.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "input/byte_source.hpp"
#include "input/compression.hpp"

namespace crivo::input {
namespace {

constexpr std::uint64_t kPieces = 32;
constexpr std::size_t kPieceBytes = std::size_t{16} << 10;

/// About how many units a file holds; nothing if it is compressed.
std::optional<std::uint64_t> sample_file(const InputFile& file, const UnitFraming& framing) {
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
  if (seen == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(file.size()) *
                                    static_cast<double>(delimiters) /
                                    static_cast<double>(seen * framing.delimiters));
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
