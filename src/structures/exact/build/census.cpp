// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/build/census.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "stream/key_stream.hpp"
#include "structures/exact/build/classes.hpp"
#include "structures/ribbon/build/builder.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kSampled = 4096;     ///< members that are looked for in the universe
constexpr std::uint64_t kFewMembers = 4096;  ///< bits of so few keys are not as even as of many

}  // namespace

UniverseCounts UniverseKeys::count(const MemberSample& sample,
                                   const base::BuildContext& context) const {
  struct alignas(64) Counts {
    UniverseCounts counts;
    std::vector<std::uint8_t> found;
  };
  std::vector<Counts> all(context.threads);
  for (Counts& one : all) one.found.resize(sample.hashes.size());
  for_each(context, [&](unsigned thread, std::span<const Hash128> hashes,
                        std::span<const std::uint64_t> groups) {
    UniverseCounts& counts = all[thread].counts;
    counts.keys += hashes.size();
    for (const Hash128& hash : hashes) {
      counts.sum += hash.hi;
      if (hash.hi > sample.most) continue;
      const auto at = std::ranges::lower_bound(sample.hashes, hash);
      if (at != sample.hashes.end() && *at == hash)
        all[thread].found[static_cast<std::size_t>(at - sample.hashes.begin())] = 1;
    }
    for (const std::uint64_t group : groups)
      ++counts.groups[counts.groups.index_of(group)].universe;
  });
  UniverseCounts sum{.sampled = sample.hashes.size()};
  std::vector<std::uint8_t> found(sample.hashes.size());
  for (const Counts& one : all) {
    sum.keys += one.counts.keys;
    sum.sum += one.counts.sum;
    sum.groups.add(one.counts.groups);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] |= one.found[i];
  }
  sum.found = static_cast<std::uint64_t>(std::ranges::count(found, 1));
  return sum;
}

void Census::count() {
  count_members();
  count_universe();
}

void Census::count_members() {
  const std::uint64_t n = members_.size();
  if (!parameters_.grouped) groups_[groups_.index_of(0)].members = n;
  sample_.most = n <= kSampled ? UINT64_MAX : UINT64_MAX / n * kSampled;
  members_.keep_order();
  context_.progress.begin("sort", n);
  members_.for_each_partition(
      stream::partition_bits_for(n), {}, context_,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        std::pair<GroupTable, std::vector<Hash128>> part;
        for (std::size_t i = 0; i < keys.size(); ++i) {
          if (keys.hashes[i].hi <= sample_.most) part.second.push_back(keys.hashes[i]);
          if (parameters_.grouped) ++part.first[part.first.index_of(keys.values[i])].members;
        }
        context_.progress.add(keys.size());
        return part;
      },
      [&](std::uint64_t, const auto& part) {
        groups_.add(part.first);
        sample_.hashes.insert(sample_.hashes.end(), part.second.begin(), part.second.end());
      });
}

void Census::count_universe() {
  universe_ = universe_keys_.count(sample_, context_);
  groups_.add(universe_.groups);
  if (!parameters_.grouped) groups_[0].universe = universe_.keys;
  estimate_others();
}

void Census::estimate_others() {
  const double share = universe_.sampled == 0 ? 0
                                              : static_cast<double>(universe_.found) /
                                                    static_cast<double>(universe_.sampled);
  for (GroupTable::Entry& group : groups_.entries()) {
    const auto among =
        static_cast<std::uint64_t>(std::llround(share * static_cast<double>(group.members)));
    group.others = group.universe - std::min(group.universe, among);
  }
}

/// The least width of any filter, for the rate that was asked for.
unsigned Census::least_width() const noexcept {
  if (!parameters_.outside_rate) return 0;
  unsigned width = members_.size() < kFewMembers ? 1 : 0;
  while (width < kMostWidth &&
         std::ldexp(0.5, -static_cast<int>(width)) >
             *parameters_.outside_rate * (members_.size() < kFewMembers ? 0.5 : 1))
    ++width;
  return width;
}

void Census::choose_classes() {
  const unsigned least = least_width();
  std::array<Sizes, kMostWidth + 1> by_width{};
  const auto width_of_group = [&](const GroupTable::Entry& group) {
    return best_width({group.members, group.others}, least);
  };
  for (GroupTable::Entry& group : groups_.entries()) {
    if (group.members == 0) continue;
    const unsigned width = width_of_group(group);
    group.gathered = width == 0 && !parameters_.outside_rate;
    if (group.gathered) continue;
    by_width[width].kept += group.members;
    by_width[width].refused += group.others;
  }
  const auto widths = choose_widths(by_width, least);
  for (GroupTable::Entry& group : groups_.entries()) {
    if (group.members == 0) continue;
    group.kind =
        group.gathered ? Class::bit_only : class_of_width(widths[width_of_group(group)], false);
  }
}

Planned Census::plan() const {
  Planned planned{.universe = universe_.keys};
  double bits = 0;
  double passing = 0;
  std::array<std::uint64_t, kFilters> kept{};
  for (const GroupTable::Entry& group : groups_.entries()) {
    if (group.members == 0 || (group.gathered && group.others == 0)) continue;
    const bool inverted = group.gathered && group.others < group.members;
    const Sizes sizes =
        inverted ? Sizes{group.others, group.members} : Sizes{group.members, group.others};
    const unsigned width = group.gathered ? best_width(sizes, 0) : width_of(group.kind);
    kept[filter_of(class_of_width(width, inverted))] += sizes.kept;
    passing += static_cast<double>(sizes.kept) +
               std::ldexp(static_cast<double>(sizes.refused), -static_cast<int>(width));
  }
  constexpr double kSectionBits = 8 * 256;
  for (unsigned filter = 1; filter < kFilters; ++filter) {
    if (kept[filter] == 0) continue;
    const unsigned width = width_of(static_cast<Class>(filter));
    bits +=
        kSectionBits + static_cast<double>(kept[filter]) *
                           ribbon::bits_per_key(kept[filter], width, ribbon::HashPart::first_half);
  }
  planned.passing = static_cast<std::uint64_t>(passing);
  bits += kSectionBits + passing * ribbon::bits_per_key(planned.passing, 1);
  planned.bytes = static_cast<std::uint64_t>(bits / 8) + 64 + 9 * groups_.entries().size();
  return planned;
}

std::uint64_t Census::count_of(Class kind,
                               std::uint64_t GroupTable::Entry::*counted) const noexcept {
  std::uint64_t count = 0;
  for (const GroupTable::Entry& group : groups_.entries())
    count += group.kind == kind ? group.*counted : 0;
  return count;
}

std::uint64_t Census::expected_passing() const noexcept {
  double count = 0;
  for (const GroupTable::Entry& group : groups_.entries()) {
    if (group.members == 0 || group.gathered) continue;
    count += 2 * static_cast<double>(group.members) +
             std::ldexp(static_cast<double>(group.others), -static_cast<int>(width_of(group.kind)));
  }
  return static_cast<std::uint64_t>(count) + expected_gathered() / 2;
}
std::uint64_t Census::expected_gathered() const noexcept {
  std::uint64_t count = 0;
  for (const GroupTable::Entry& group : groups_.entries())
    count += group.gathered ? group.members + group.universe : 0;
  return count;
}

double forecast_bits(std::uint64_t members, std::uint64_t universe) noexcept {
  const std::uint64_t others = universe - members;
  if (members == 0 || others == 0) return 0;
  const Sizes sizes{std::min(members, others), std::max(members, others)};
  const unsigned width = best_width(sizes, 0);
  const auto kept = static_cast<double>(sizes.kept);
  const double passing =
      kept + std::ldexp(static_cast<double>(sizes.refused), -static_cast<int>(width));
  const double filter =
      width == 0 ? 0 : kept * ribbon::bits_per_key(sizes.kept, width, ribbon::HashPart::first_half);
  return filter + passing * ribbon::bits_per_key(static_cast<std::uint64_t>(passing), 1);
}

}  // namespace crivo::exact
