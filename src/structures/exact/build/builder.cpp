// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/build/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/sink.hpp"
#include "structures/build/assembly.hpp"
#include "structures/exact/build/census.hpp"
#include "structures/exact/build/classes.hpp"
#include "structures/exact/build/gathered_keys.hpp"
#include "structures/exact/build/group_table.hpp"
#include "structures/exact/build/universe_scan.hpp"
#include "structures/retrieval/build/fingerprints.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::exact {
namespace {

using stream::HashedValue;
using stream::KeySlice;

/// In a run of equal hashes a member comes before a key of the universe.
constexpr std::uint64_t kMember = 0;
constexpr std::uint64_t kOther = 1;
/// A gathered key of the universe has this bit beside the index of its group.
constexpr std::uint64_t kOfUniverse = std::uint64_t{1} << 63;

}  // namespace

class Builder::Impl {
 public:
  Impl(const stream::HashSource& members, const UniverseKeys& universe,
       const Parameters& parameters, const base::BuildContext& context)
      : members_(members),
        universe_(universe),
        parameters_(parameters),
        context_(context),
        room_{parameters.memory_bytes / 2, parameters.temp_dir},
        census_(members, universe, parameters_, context_) {
    census_.count();
    census_.choose_classes();
    totals_.universe = census_.universe().keys;
  }

  SectionKeys filter(unsigned tag) {
    const auto kind = static_cast<Class>(tag);
    return is_inverted(kind) ? filter_of_others(kind) : filter_of_members(kind);
  }

  void use_filter(unsigned tag, base::ByteView section) {
    filters_[tag] = std::make_unique<const ribbon::Table>(section, ribbon::HashPart::first_half);
  }

  SectionKeys bit() {
    scan();
    add_gathered();
    gathered_.reset();
    passing_->finish();
    built_.temp_bytes += passing_->temp_bytes();
    return keys_of_bit();
  }

  base::Bytes groups() {
    totals_.grouped = parameters_.grouped;
    totals_.members = members_.size();
    std::vector<Group> groups;
    groups.reserve(table().entries().size());
    for (const GroupTable::Entry& group : table().entries())
      groups.push_back({group.hash, group.kind});
    std::ranges::sort(groups, {}, &Group::hash);
    built_.universe_sum = census_.universe().sum;
    built_.totals = totals_;
    built_.groups = parameters_.grouped ? groups.size() : 0;
    return encode_groups(totals_, groups);
  }

  const Built& built() const noexcept { return built_; }
  const UniverseCounts& counts() const noexcept { return census_.universe(); }

  void sieve(const Keep& keep) {
    own_filters_.reserve(kMostWidth);  // they stay where they are
    for (unsigned tag = 1; tag <= kMostWidth; ++tag) {
      const SectionKeys chosen = filter(tag);
      if (chosen.keys == nullptr) continue;
      context_.progress.begin("build", chosen.keys->size());
      base::MemorySink& bytes = own_filters_.emplace_back();
      build(*chosen.assembly, *chosen.keys, context_, bytes);
      use_filter(tag, bytes.view());
    }
    const auto keep_one = [&](unsigned thread, const Hash128& hash, std::uint32_t group) {
      keep(thread, hash, table()[group].hash);
    };
    (void)UniverseScan(table(), filters_, context_.threads)
        .run(universe_, context_, keep_one, keep_one);
  }

 private:
  GroupTable& table() noexcept { return census_.groups(); }

  /// Calls take(hashed) for each of the members' hashed keys that make(hash, group, add) adds.
  template <typename HashedKey, typename Make, typename Take>
  void for_each_member(Make&& make, Take&& take) {
    members_.for_each_partition(
        stream::partition_bits_for(members_.size()), {}, context_,
        [&](std::uint64_t, const KeySlice& keys) {
          std::vector<HashedKey> made;
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t group = parameters_.grouped ? keys.values[i] : 0;
            make(keys.hashes[i], group, made);
          }
          return made;
        },
        [&](std::uint64_t, const std::vector<HashedKey>& made) {
          for (const HashedKey& hashed : made) take(hashed);
        });
  }

  static SectionKeys filter_over(Class kind, std::shared_ptr<const stream::HashSource> keys) {
    const unsigned width = width_of(kind);
    auto assembly = ribbon::plan(keys->size(), width, filter::fingerprint_source(width),
                                 ribbon::HashPart::first_half);
    return {std::move(keys), std::move(assembly)};
  }

  /// Over gathered keys, which go when the section is built.
  SectionKeys filter_over(Class kind, const std::shared_ptr<Gathered<Hash128>>& some) {
    some->finish();
    built_.temp_bytes += some->temp_bytes();
    return filter_over(kind, keys_in(some, some->with_repeats()));
  }

  /// Keys that keep what they are read from.
  template <typename HashedKey>
  static std::shared_ptr<const stream::HashSource> keys_in(
      std::shared_ptr<Gathered<HashedKey>> gathered,
      std::unique_ptr<stream::StreamedKeys<HashedKey>> keys) {
    struct Kept {
      std::shared_ptr<Gathered<HashedKey>> gathered;
      std::unique_ptr<stream::StreamedKeys<HashedKey>> keys;
    };
    auto kept = std::make_shared<Kept>(Kept{std::move(gathered), std::move(keys)});
    return {kept, kept->keys.get()};
  }

  SectionKeys filter_of_members(Class kind) {
    const std::uint64_t n = census_.count_of(kind, &GroupTable::Entry::members);
    if (n == 0) return {};
    if (n == members_.size()) return filter_over(kind, {std::shared_ptr<void>(), &members_});
    auto some = std::make_shared<Gathered<Hash128>>(n, room_, context_);
    for_each_member<Hash128>(
        [&](const Hash128& hash, std::uint64_t group, std::vector<Hash128>& made) {
          if (table()[table().find(group)].kind == kind) made.push_back(hash);
        },
        [&](const Hash128& hash) { some->writer(0).add(hash); });
    return filter_over(kind, some);
  }

  /// Over the others of groups that are inverted.
  SectionKeys filter_of_others(Class kind) {
    scan();
    const std::uint64_t n = census_.count_of(kind, &GroupTable::Entry::others);
    if (n == 0) return {};
    auto some = std::make_shared<Gathered<Hash128>>(n, room_, context_);
    for_each_gathered<std::vector<Hash128>>(
        [&](const Hash128& hash, std::uint32_t group, bool is_member, bool,
            std::vector<Hash128>& others) {
          if (!is_member && table()[group].kind == kind) others.push_back(hash);
        },
        [&](const std::vector<Hash128>& others) {
          for (const Hash128& hash : others) some->writer(0).add(hash);
        });
    return filter_over(kind, some);
  }

  /// Goes over the universe and the members once the filters over members are in use.
  void scan() {
    if (passing_ != nullptr) return;
    passing_ = std::make_shared<Gathered<HashedValue>>(census_.expected_passing(), room_, context_);
    gathered_ =
        std::make_unique<Gathered<HashedValue>>(census_.expected_gathered(), room_, context_);
    scan_universe();
    add_members();
    gathered_->finish();
    built_.temp_bytes += gathered_->temp_bytes();
    settle_gathered();
  }

  void scan_universe() {
    UniverseScan scan(table(), filters_, context_.threads);
    const std::uint64_t sum = scan.run(
        universe_, context_,
        [this](unsigned thread, const Hash128& hash, std::uint32_t) {
          passing_->writer(thread).add({hash, kOther});
        },
        [this](unsigned thread, const Hash128& hash, std::uint32_t group) {
          gathered_->writer(thread).add({hash, group | kOfUniverse});
        });
    if (universe_.visits_all() && sum != census_.universe().sum) fail_changed_universe();
  }

  void add_members() {
    for_each_member<std::pair<HashedValue, bool>>(
        [&](const Hash128& hash, std::uint64_t of, auto& made) {
          const std::uint32_t index = table().find(of);
          const bool is_gathered = table()[index].gathered;
          made.push_back({{hash, is_gathered ? index : kMember}, is_gathered});
        },
        [&](const std::pair<HashedValue, bool>& one) {
          (one.second ? *gathered_ : *passing_).writer(0).add(one.first);
          built_.missing += 1;  // until it is found in the universe
        });
  }

  /// Goes over the runs of gathered keys: visit(hash, index of the group, is a member, is in the
  /// universe, part) on all threads, then join(part) one at a time.
  template <typename Part, typename Visit, typename Join>
  void for_each_gathered(Visit&& visit, Join&& join) {
    const auto keys = gathered_->with_repeats();
    keys->for_each_partition(
        gathered_->partition_bits(), {}, context_,
        [&](std::uint64_t, const KeySlice& slice) {
          Part part;
          for_each_run(slice, [&](const Hash128& hash, std::uint64_t least, std::uint64_t most) {
            visit(hash, static_cast<std::uint32_t>(least & ~kOfUniverse), least < kOfUniverse,
                  most >= kOfUniverse, part);
          });
          return part;
        },
        [&](std::uint64_t, const Part& part) { join(part); });
  }

  /// Counts the others of gathered groups, now that they are known, and chooses their classes.
  void settle_gathered() {
    for (GroupTable::Entry& group : table().entries()) {
      if (group.gathered) group.others = 0;
    }
    struct Part {
      std::vector<std::uint32_t> others;  ///< a group for each
      std::uint64_t found = 0;
    };
    for_each_gathered<Part>(
        [](const Hash128&, std::uint32_t group, bool is_member, bool is_there, Part& part) {
          if (!is_member) part.others.push_back(group);
          if (is_member && is_there) ++part.found;
        },
        [&](const Part& part) {
          for (const std::uint32_t group : part.others) ++table()[group].others;
          built_.missing -= part.found;
        });
    std::array<Sizes, kMostWidth + 1> by_width{};
    const auto width_of_group = [](const GroupTable::Entry& group) {
      return best_width({group.others, group.members}, 0);
    };
    for (const GroupTable::Entry& group : table().entries()) {
      if (!group.gathered || group.others == 0) continue;
      const unsigned width = width_of_group(group);
      by_width[width].kept += group.others;
      by_width[width].refused += group.members;
    }
    const auto widths = choose_widths(by_width, 0);
    for (GroupTable::Entry& group : table().entries()) {
      if (!group.gathered) continue;
      group.kind =
          group.others == 0 ? Class::all : class_of_width(widths[width_of_group(group)], true);
    }
  }

  /// Adds the gathered keys that have a bit.
  void add_gathered() {
    for_each_gathered<std::vector<HashedValue>>(
        [&](const Hash128& hash, std::uint32_t group, bool is_member, bool,
            std::vector<HashedValue>& part) {
          const Class kind = table()[group].kind;
          if (kind == Class::all) return;
          const auto& filter = filters_[filter_of(kind)];
          if (is_member && filter != nullptr && !filter->contains(hash)) return;
          part.push_back({hash, is_member ? kMember : kOther});
        },
        [&](const std::vector<HashedValue>& part) {
          for (const HashedValue& key : part) passing_->writer(0).add(key);
        });
  }

  SectionKeys keys_of_bit() {
    const auto all = passing_->with_repeats();
    all->for_each_partition(
        passing_->partition_bits(), {}, context_,
        [&](std::uint64_t, const KeySlice& slice) {
          std::uint64_t found = 0;
          for_each_run(slice, [&](const Hash128&, std::uint64_t least, std::uint64_t most) {
            found += least != most ? 1 : 0;
          });
          return found;
        },
        [&](std::uint64_t, std::uint64_t found) { built_.missing -= found; });
    // The bit of a member is 1: slots that nobody determines are 0.
    auto keys = passing_->distinct(
        [](std::span<std::uint64_t> values) {
          for (std::uint64_t& value : values) value ^= kMember ^ 1;
        },
        context_);
    totals_.passing = keys->size();
    if (totals_.passing == 0) return {};
    auto assembly =
        ribbon::plan(keys->size(), 1, retrieval::ValueSource(), ribbon::HashPart::whole);
    return {keys_in(std::move(passing_), std::move(keys)), std::move(assembly)};
  }

  const stream::HashSource& members_;
  const UniverseKeys& universe_;
  Parameters parameters_;
  base::BuildContext context_;
  Room room_;
  Census census_;
  std::shared_ptr<Gathered<HashedValue>> passing_;   ///< from scan() on
  std::unique_ptr<Gathered<HashedValue>> gathered_;  ///< from then to bit()
  Filters filters_;
  std::vector<base::MemorySink> own_filters_;  ///< of sieve()
  Totals totals_;
  Built built_;
};

Builder::Builder(const stream::HashSource& members, const UniverseKeys& universe,
                 const Parameters& parameters, const base::BuildContext& context)
    : impl_(std::make_unique<Impl>(members, universe, parameters, context)) {}

Builder::~Builder() = default;

SectionKeys Builder::filter(unsigned tag) {
  return impl_->filter(tag);
}
void Builder::use_filter(unsigned tag, base::ByteView section) {
  impl_->use_filter(tag, section);
}
SectionKeys Builder::bit() {
  return impl_->bit();
}
base::Bytes Builder::groups() {
  return impl_->groups();
}
const Built& Builder::built() const noexcept {
  return impl_->built();
}
void Builder::sieve(const Keep& keep) {
  impl_->sieve(keep);
}
const UniverseCounts& Builder::counts() const noexcept {
  return impl_->counts();
}

Planned plan(const stream::HashSource& members, const UniverseKeys& universe,
             const Parameters& parameters, const base::BuildContext& context) {
  Census census(members, universe, parameters, context);
  census.count();
  census.choose_classes();
  return census.plan();
}

namespace {

constexpr std::uint64_t kHeaderBytes = 64;

}  // namespace

base::Bytes encode_groups(const Totals& totals, const std::vector<Group>& groups) {
  base::FieldWriter out;
  out.u8(totals.grouped ? 1 : 0).zeros(7);
  out.u64(totals.members).u64(totals.universe).u64(totals.passing).u64(groups.size());
  out.align(kHeaderBytes);
  if (totals.grouped) {
    for (const Group& group : groups) out.u64(group.hash);
  }
  for (const Group& group : groups) out.u8(static_cast<std::uint8_t>(group.kind));
  return out.take();
}

}  // namespace crivo::exact
