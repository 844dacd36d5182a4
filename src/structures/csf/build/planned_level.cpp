// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/planned_level.hpp"

#include <utility>

namespace crivo::csf {
namespace {

unsigned longest_codeword(const LevelPlan& plan) noexcept {
  unsigned longest = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    if (plan.lengths[length] != 0) longest = length;
  }
  return longest;
}

}  // namespace

Codebook::Codebook(const LevelPlan& plan)
    : escape_(plan.escape), index_(static_cast<std::uint32_t>(plan.symbols.size())) {
  if (plan.plain) return;
  words_ = codewords(plan.lengths);
  for (std::uint32_t word = 0; word < plan.symbols.size(); ++word) {
    if (word == escape_) continue;
    index_.insert(plan.symbols[word]);
    numbers_.push_back(word);
  }
}

PlannedLevel::PlannedLevel(LevelPlan given, unsigned partition_bits)
    : plan(std::move(given)), book(plan) {
  entry.plain = plan.plain;
  if (plan.plain) return;
  if (plan.filter_bits != 0) {
    entry.dominant = plan.dominant;
    entry.filter =
        Shape::of(plan.others, plan.others * plan.filter_bits, plan.filter_bits, partition_bits);
  }
  entry.codewords = static_cast<std::uint32_t>(plan.symbols.size());
  entry.escape = plan.escape;
  if (const unsigned longest = longest_codeword(plan); longest != 0)
    entry.codes = Shape::of(plan.coded, plan.code_bits, longest, partition_bits);
}

base::Bytes PlannedLevel::encode_code(unsigned width) const {
  base::FieldWriter fields;
  if (plan.plain) return fields.take();
  for (unsigned length = 0; length <= entry.codes.code_bits; ++length)
    fields.u32(plan.lengths[length]);
  for (const std::uint64_t symbol : plan.symbols) {
    for (unsigned byte = 0; byte < symbol_bytes(width); ++byte) {
      fields.u8(static_cast<std::uint8_t>(symbol >> (8 * byte)));
    }
  }
  return fields.align(8).take();
}

}  // namespace crivo::csf
