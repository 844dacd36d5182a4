// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/exact_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::exact {
namespace {

[[noreturn]] void fail(const char* problem) {
  throw Error(ErrorKind::corrupt, std::string("damaged: ") + problem);
}

}  // namespace

ExactSet::ExactSet(const Sections& sections) : groups_(sections.groups) {
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
  Rule& rule = rules_[static_cast<unsigned>(kind)];
  rule.otherwise = kind == Class::all || is_inverted(kind);
  if (kind == Class::all || kind == Class::none) return;
  if (!bit_) fail("there is no function of one bit");
  rule.asks_bit = true;
  const unsigned tag = filter_of(kind);
  if (tag == 0) return;
  const auto section = sections.filter(tag);
  if (!section) fail("there is no filter of a class of groups");
  auto& filter = filters_[static_cast<unsigned>(kind)];
  filter = std::make_unique<const ribbon::Table>(*section, ribbon::HashPart::first_half);
  if (filter->width() != width_of(kind)) fail("a filter has not the width of its class");
  rule.filter = filter.get();
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

void ExactSet::contains(Class kind, std::span<const Hash128> hashes, bool* answers) const noexcept {
  constexpr std::size_t kAtOnce = 256;
  const Rule& rule = rules_[static_cast<unsigned>(kind)];
  if (!rule.asks_bit) {
    std::fill_n(answers, hashes.size(), rule.otherwise);
    return;
  }
  std::array<Hash128, kAtOnce> passing;
  std::array<std::uint64_t, kAtOnce> bits;
  std::array<std::uint16_t, kAtOnce> places;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kAtOnce) {
    const auto block = hashes.subspan(begin, std::min(kAtOnce, hashes.size() - begin));
    bool* const some = answers + begin;
    if (rule.filter == nullptr) {
      bit_->values(block, bits.data());
      for (std::size_t i = 0; i < block.size(); ++i) some[i] = (bits[i] & 1) != 0;
      continue;
    }
    rule.filter->contains(block, some);
    std::size_t count = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {  // without a branch that nobody foresees
      passing[count] = block[i];
      places[count] = static_cast<std::uint16_t>(i);
      count += some[i] ? 1 : 0;
    }
    std::fill_n(some, block.size(), rule.otherwise);
    bit_->values(std::span(passing).first(count), bits.data());
    for (std::size_t i = 0; i < count; ++i) some[places[i]] = (bits[i] & 1) != 0;
  }
}

void ExactSet::contains(std::span<const Class> kinds, std::span<const Hash128> hashes,
                        bool* answers) const noexcept {
  constexpr std::size_t kAtOnce = 1024;  // so that each class has some to overlap
  std::array<Hash128, kAtOnce> sorted;
  std::array<bool, kAtOnce> found;
  std::array<std::uint16_t, kAtOnce> places;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kAtOnce) {
    const auto block = hashes.subspan(begin, std::min(kAtOnce, hashes.size() - begin));
    std::array<std::uint16_t, kRules> ends{};
    for (std::size_t i = 0; i < block.size(); ++i) ++ends[static_cast<unsigned>(kinds[begin + i])];
    std::uint16_t end = 0;
    for (std::uint16_t& start : ends) start = std::exchange(end, end + start);
    for (std::size_t i = 0; i < block.size(); ++i) {
      places[i] = ends[static_cast<unsigned>(kinds[begin + i])]++;
      sorted[places[i]] = block[i];
    }
    std::size_t first = 0;
    for (unsigned number = 0; number < kRules; ++number) {
      const std::size_t size = ends[number] - first;
      contains(static_cast<Class>(number), std::span(sorted).subspan(first, size), &found[first]);
      first += size;
    }
    for (std::size_t i = 0; i < block.size(); ++i) answers[begin + i] = found[places[i]];
  }
}

}  // namespace crivo::exact
