// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/exact_set.hpp"

#include <algorithm>
#include <cmath>

#include "crivo/error.hpp"

namespace crivo::exact {
namespace {

[[noreturn]] void fail(const char* problem) {
  throw Error(ErrorKind::corrupt, std::string("damaged: ") + problem);
}

}  // namespace

ExactSet::ExactSet(const Sections& sections)
    : groups_(sections.groups), pages_(sections.groups.checks) {
  if (sections.bit) {
    bit_ = std::make_unique<const ribbon::Table>(*sections.bit, ribbon::HashPart::whole);
    if (bit_->width() != 1) fail("the function of one bit has more");
  }
  if (totals().passing != (bit_ ? bit_->size() : 0))
    fail("the groups and the function of one bit disagree on their keys");
  for (std::uint64_t i = 0; i < groups_.size(); ++i) {
    const Class kind = groups_.kind(i);
    if (used_[static_cast<unsigned>(kind)]) continue;
    used_[static_cast<unsigned>(kind)] = true;
    set_rule(kind, sections);
  }
}

void ExactSet::set_rule(Class kind, const Sections& sections) {
  detail::ExactRule& rule = rules_[static_cast<unsigned>(kind)];
  rule.refused = kind == Class::all || is_inverted(kind) ? 1 : 0;
  if (kind == Class::all || kind == Class::none) return;
  if (!bit_) fail("there is no function of one bit");
  bit_->set_bit(rule);
  rule.passes = detail::ExactRule::passes_all;
  const unsigned tag = filter_of(kind);
  if (tag == 0) return;
  const auto section = sections.filter(tag);
  if (!section) fail("there is no filter of a class of groups");
  auto& filter = filters_[static_cast<unsigned>(kind)];
  filter = std::make_unique<const ribbon::Table>(*section, ribbon::HashPart::first_half);
  if (filter->width() != width_of(kind)) fail("the width of a filter is not that of its class");
  const detail::FilterLookup lookup = filter->lookup();
  rule.passes = lookup.call;
  rule.filter = lookup.filter;
}

double ExactSet::outside_rate() const noexcept {
  double rate = 0;
  for (unsigned number = 0; number < kRules; ++number) {
    if (!used_[number]) continue;
    const auto kind = static_cast<Class>(number);
    if (kind == Class::none) continue;
    const double passed = std::ldexp(0.5, -static_cast<int>(width_of(kind)));
    rate = std::max(rate, kind == Class::all ? 1 : is_inverted(kind) ? 1 - passed : passed);
  }
  return rate;
}

void ExactSet::describe(std::vector<Parameter>& parameters) const {
  std::array<std::uint64_t, kRules> counts{};
  for (std::uint64_t i = 0; i < groups_.size(); ++i)
    ++counts[static_cast<unsigned>(groups_.kind(i))];
  std::uint64_t inverted = counts[static_cast<unsigned>(Class::all)];
  std::uint64_t filters = 0;
  std::uint64_t widest = 0;
  for (unsigned number = 1; number <= 2 * kMostWidth; ++number) {
    if (counts[number] == 0) continue;
    const auto kind = static_cast<Class>(number);
    ++filters;
    widest = std::max<std::uint64_t>(widest, width_of(kind));
    if (is_inverted(kind)) inverted += counts[number];
  }
  parameters.push_back({"universe", totals().universe});
  if (totals().grouped) parameters.push_back({"groups", groups_.size()});
  parameters.push_back({"filters", filters});
  parameters.push_back({"widest_filter_bits", widest});
  parameters.push_back({"bit_keys", totals().passing});
  if (inverted != 0) parameters.push_back({"inverted_groups", inverted});
}

bool ExactSet::ask_filter(Class kind, std::span<const Hash128> hashes,
                          bool* passed) const noexcept {
  const auto& filter = filters_[static_cast<unsigned>(kind)];
  if (filter) {
    filter->contains(hashes, passed);
    return true;
  }
  const bool all_pass = rule(kind).passes == detail::ExactRule::passes_all;
  std::fill_n(passed, hashes.size(), all_pass);
  return all_pass;
}

std::size_t ExactSet::ask_bits(std::span<const Hash128> hashes,
                               std::span<const std::uint16_t> passed, bool* answers,
                               std::uint16_t* rest) const noexcept {
  if (passed.empty()) return 0;
  std::array<Hash128, kAtOnce> asked;
  std::array<std::uint8_t, kAtOnce> bits;
  for (std::size_t i = 0; i < passed.size(); ++i) asked[i] = hashes[passed[i]];
  bit_->bits(std::span<const Hash128>(asked).first(passed.size()), bits.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    answers[passed[i]] = (bits[i] & 1) != 0;
    rest[count] = passed[i];
    count += bits[i] >= detail::kWholeHash ? 1 : 0;
  }
  return count;
}

std::size_t ExactSet::settle(Class kind, std::span<const Hash128> hashes, bool* answers,
                             std::uint16_t* rest) const noexcept {
  std::array<std::uint16_t, kAtOnce> passed;
  std::size_t count = 0;
  if (ask_filter(kind, hashes, answers)) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {  // without a branch that nobody foresees
      passed[count] = static_cast<std::uint16_t>(i);
      count += answers[i] ? 1 : 0;
    }
  }
  if (rule(kind).refused != 0) std::fill_n(answers, hashes.size(), true);
  return ask_bits(hashes, std::span(passed).first(count), answers, rest);
}

void ExactSet::contains(Class kind, std::span<const Hash128> hashes, bool* answers) const noexcept {
  std::array<std::uint16_t, kAtOnce> rest;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kAtOnce) {
    const auto block = hashes.subspan(begin, std::min(kAtOnce, hashes.size() - begin));
    const std::size_t left = settle(kind, block, answers + begin, rest.data());
    for (std::size_t i = 0; i < left; ++i) answers[begin + rest[i]] = by_bit(block[rest[i]]);
  }
}

}  // namespace crivo::exact
