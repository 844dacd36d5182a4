// SPDX-License-Identifier: Apache-2.0
/// A pass over a universe that asks the filters of its groups, some keys of one filter at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "structures/exact/build/builder.hpp"
#include "structures/exact/build/census.hpp"
#include "structures/exact/build/group_table.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::exact {

/// By their tags; null where there is none.
using Filters = std::array<std::unique_ptr<const ribbon::Table>, kFilters>;

[[noreturn]] inline void fail_changed_universe() {
  throw Error(ErrorKind::bad_input, "the universe changed while it was read");
}

/// Which keys a build goes on with, by the classes of their groups.
class UniverseScan {
 public:
  UniverseScan(const GroupTable& groups, const Filters& filters, unsigned threads)
      : groups_(groups), filters_(filters), all_(threads) {}

  /// From all threads at once: pass(thread, hash, group) for a key that its group's filter lets
  /// pass, and gather(thread, hash, group) for one of a group whose keys are gathered first, where
  /// `group` is an index of the table. Returns the sum of the first halves of all hashes, modulo
  /// 2^64. Throws Error(bad_input) for a key of a group that was not counted.
  template <typename Pass, typename Gather>
  std::uint64_t run(const UniverseKeys& universe, const base::BuildContext& context, Pass&& pass,
                    Gather&& gather) {
    universe.for_each(context, [&](unsigned thread, std::span<const Hash128> hashes,
                                   std::span<const std::uint64_t> groups) {
      Thread& mine = all_[thread];
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        mine.sum += hashes[i].hi;
        const std::uint32_t index = groups.empty() ? 0 : groups_.find(groups[i]);
        if (index == GroupTable::kEmpty) fail_changed_universe();
        const GroupTable::Entry& group = groups_[index];
        if (group.kind == Class::none) continue;
        if (group.gathered) {
          gather(thread, hashes[i], index);
          continue;
        }
        const unsigned filter = filter_of(group.kind);
        Waiting& some = mine.waiting[filter];
        some.hashes.push_back(hashes[i]);
        some.groups.push_back(index);
        if (some.hashes.size() == kBlock) ask(thread, filter, pass);
      }
    });
    std::uint64_t sum = 0;
    for (unsigned thread = 0; thread < all_.size(); ++thread) {
      for (unsigned filter = 0; filter < kFilters; ++filter) ask(thread, filter, pass);
      sum += all_[thread].sum;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kBlock = 256;

  /// Keys that wait until there are some of their filter.
  struct Waiting {
    std::vector<Hash128> hashes;
    std::vector<std::uint32_t> groups;
  };
  struct alignas(64) Thread {
    std::array<Waiting, kFilters> waiting;
    std::array<bool, kBlock> passed{};
    std::uint64_t sum = 0;
  };

  template <typename Pass>
  void ask(unsigned thread, unsigned filter, Pass& pass) {
    Thread& mine = all_[thread];
    Waiting& some = mine.waiting[filter];
    if (some.hashes.empty()) return;
    if (filter != 0) filters_[filter]->contains(some.hashes, mine.passed.data());
    for (std::size_t i = 0; i < some.hashes.size(); ++i) {
      if (filter == 0 || mine.passed[i]) pass(thread, some.hashes[i], some.groups[i]);
    }
    some.hashes.clear();
    some.groups.clear();
  }

  const GroupTable& groups_;
  const Filters& filters_;
  std::vector<Thread> all_;
};

}  // namespace crivo::exact
