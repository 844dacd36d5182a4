// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "structures/bloom/build/bloom.hpp"
#include "structures/bloom/build/cell_array.hpp"
#include "structures/bloom/build/shape.hpp"
#include "structures/bloom/cells.hpp"

namespace crivo::filter {
namespace {

struct Operand {
  BloomHeader header;
  const std::byte* cells;

  std::uint64_t word(std::uint64_t index) const noexcept {
    return base::load_le<std::uint64_t>(cells + 8 * index);
  }
};

std::vector<Operand> decode_all(std::span<const NamedSection> sections) {
  std::vector<Operand> operands;
  for (const NamedSection& section : sections) {
    operands.push_back(
        {BloomHeader::decode(section.bytes), section.bytes.data() + BloomHeader::kBytes});
    const BloomHeader& first = operands.front().header;
    const BloomHeader& header = operands.back().header;
    const auto check = [&](std::uint64_t has, std::uint64_t other, const char* what) {
      if (has == other) return;
      throw Error(ErrorKind::usage,
                  section.name + ": has " + std::to_string(has) + " " + what + ", and " +
                      sections.front().name + " has " + std::to_string(other) +
                      "; build the filters with one capacity, rate or bits, and number of hashes");
    };
    check(header.cells(), first.cells(), "cells");
    check(header.hashes, first.hashes, "hashes");
    check(header.regions.count(), first.regions.count(), "regions of cells");
  }
  return operands;
}

/// An estimate from the empty cells of filters with `least` to `most` keys in all.
SizeEstimate estimate(const BloomHeader& shape, std::uint64_t occupied, double least, double most) {
  const auto cells = static_cast<double>(shape.cells());
  const double keys =
      std::clamp(estimated_keys(cells, static_cast<double>(occupied), shape.hashes), least, most);
  return {keys, estimated_keys_sigma(cells, keys, shape.hashes)};
}

/// Returns the size that a filter's header tells: exactly, unless it is an estimate itself.
SizeEstimate size_of(const BloomHeader& header) {
  const auto keys = static_cast<double>(header.keys);
  if (!header.estimated) return {keys, 0};
  return {keys, estimated_keys_sigma(static_cast<double>(header.cells()), keys, header.hashes)};
}

/// The occupied cells of the union of each subset of the operands; subset s has operand i where bit
/// i of s is set.
std::vector<std::uint64_t> occupied_in_unions(const std::vector<Operand>& operands) {
  const std::size_t subsets = std::size_t{1} << operands.size();
  std::vector<std::uint64_t> occupied(subsets);
  std::vector<std::uint64_t> united(subsets);
  for (std::uint64_t word = 0; word < operands.front().header.words(); ++word) {
    for (std::size_t subset = 1; subset < subsets; ++subset) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(subset));
      united[subset] = united[subset & (subset - 1)] | operands[lowest].word(word);
      occupied[subset] += static_cast<unsigned>(std::popcount(united[subset]));
    }
  }
  return occupied;
}

SizeEstimate estimate_common(const std::vector<Operand>& operands) {
  const std::vector<std::uint64_t> occupied = occupied_in_unions(operands);
  double keys = 0;
  double variance = 0;
  for (std::size_t subset = 1; subset < occupied.size(); ++subset) {
    double least = 0;
    double most = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      least = std::max(least, static_cast<double>(operands[i].header.keys));
      most += static_cast<double>(operands[i].header.keys);
    }
    const bool one = std::has_single_bit(subset);
    const auto index = static_cast<std::size_t>(std::countr_zero(subset));
    const SizeEstimate size =
        one ? size_of(operands[index].header)
            : estimate(operands.front().header, occupied[subset], least, most);
    keys += std::popcount(subset) % 2 == 1 ? size.keys : -size.keys;
    variance += size.sigma * size.sigma;
  }
  const auto fewest =
      std::ranges::min(operands, {}, [](const Operand& operand) { return operand.header.keys; });
  return {std::clamp(keys, 0.0, static_cast<double>(fewest.header.keys)), std::sqrt(variance)};
}

}  // namespace

Combined combine_bloom(std::span<const NamedSection> sections, SetOperation operation,
                       base::Sink& sink) {
  const std::vector<Operand> operands = decode_all(sections);
  const bool unites = operation == SetOperation::unite;
  BloomHeader header = operands.front().header;
  CellArray cells(header.cells(), 1);
  BloomHeader united = header;  // for its occupied cells
  united.occupied = 0;
  for (std::uint64_t word = 0; word < cells.words().size(); ++word) {
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
    for (const Operand& operand : operands) {
      any |= operand.word(word);
      all &= operand.word(word);
    }
    united.occupied += static_cast<unsigned>(std::popcount(any));
    cells.words()[word] = unites ? any : all;
  }
  double least = 0;
  double most = 0;
  for (const Operand& operand : operands) {
    const auto keys = static_cast<double>(operand.header.keys);
    least = std::max(least, keys);
    most += keys;
    header.capacity = std::max(header.capacity, operand.header.capacity);
  }
  SetSizes sizes{estimate(header, united.occupied, least, most), std::nullopt};
  if (operands.size() <= kMaxIntersected) sizes.common = estimate_common(operands);
  const SizeEstimate size = unites ? sizes.united : sizes.common.value_or(SizeEstimate{});
  header.keys = static_cast<std::uint64_t>(std::llround(size.keys));
  header.estimated = true;
  write_section(header, cells, false, sink);
  return {header.keys, sizes};
}

}  // namespace crivo::filter
