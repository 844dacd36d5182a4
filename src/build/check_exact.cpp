// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/progress.hpp"
#include "build/check_answers.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "input/grouped_keys.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/key_hash.hpp"
#include "structures/exact/build/gathered_keys.hpp"

namespace crivo::index {

/// Throws Error(mismatch) where a key of `members` is not answered `member`, another key of its
/// universe (if there is one) is, or the set has another number of members. Returns the number of
/// distinct members. 24 bytes of memory or temporary disk for each of them, and for each key of the
/// universe that is answered `member`.
std::uint64_t check_exact_set(const file::Container& container, const KeyInput& members,
                              const std::string& group_delimiter, std::uint64_t memory_bytes,
                              const std::filesystem::path& temp_dir,
                              const base::BuildContext& context);

std::uint64_t check_exact(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  return check_exact_set(container, input, options.group_delimiter, options.memory_bytes,
                         options.temp_dir, context);
}

std::uint64_t check_chain(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  switch (exact::base_kind(container)) {
    case file::Kind::filter:
      return check_filter(container, input, options, context);
    case file::Kind::rows:
      return check_rows(container, input, options, context);
    case file::Kind::filter_set:
      return check_filter_set(container, input, options, context);
    default:
      return check_exact(container, input, options, context);
  }
}

namespace {

using stream::HashedValue;

[[noreturn]] void fail(const file::Container& container, const std::string& problem) {
  throw Error(ErrorKind::mismatch, container.name() + ": " + problem);
}

/// The number of keys that are answered `member`: those that are, and those that only the universe
/// has.
constexpr std::uint64_t kMember = 0;
constexpr std::uint64_t kOfUniverse = 1;

class ExactCheck {
 public:
  ExactCheck(const file::Container& container, const input::Grouping& grouping)
      : container_(container),
        links_(exact::links_of(container, file::Kind::exact)),
        layers_(exact::pointers(container, links_)),
        grouping_(grouping) {
    grouping_.grouped = layers_.exact().set->totals().grouped;
  }
  const input::Grouping& grouping() const noexcept { return grouping_; }

  /// Calls use(hash) for each of the hashes that is answered `member`, and returns the number of
  /// the others.
  template <typename Use>
  std::uint64_t ask(std::span<const Hash128> hashes, std::span<const std::uint64_t> groups,
                    Use&& use) const {
    std::uint64_t others = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto number = layers_.set().number_of(grouping_.grouped ? groups[i] : 0);
      if (!number) fail(container_, "does not have the group of one of the keys");
      if (layers_.set().contains(layers_.set().answering(*number), hashes[i])) {
        use(hashes[i]);
      } else {
        ++others;
      }
    }
    return others;
  }

 private:
  const file::Container& container_;
  std::vector<file::Container> links_;
  exact::LinkedSet layers_;
  input::Grouping grouping_;
};

using Found = exact::Gathered<HashedValue>;

/// Gathers the members; throws Error(mismatch) if one is not answered so.
void find_members(const stream::HashSource& members, const ExactCheck& check,
                  const file::Container& container, const base::BuildContext& context,
                  Found& found) {
  members.for_each_partition(
      found.partition_bits(), {}, context,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        std::vector<Hash128> right;
        const std::uint64_t wrong =
            check.ask(keys.hashes, keys.values, [&](const Hash128& one) { right.push_back(one); });
        if (wrong != 0)
          fail(container, std::to_string(wrong) + " or more keys are not answered \"member\"");
        return right;
      },
      [&](std::uint64_t, const std::vector<Hash128>& right) {
        for (const Hash128& one : right) found.writer(0).add({one, kMember});
      });
}

/// Counts the keys of the universe that were found and are no members.
std::uint64_t count_others(Found& found, const base::BuildContext& context) {
  found.finish();
  std::uint64_t all = 0;
  found.with_repeats()->for_each_partition(
      found.partition_bits(), {}, context,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        std::uint64_t others = 0;
        exact::for_each_run(keys, [&](const Hash128&, std::uint64_t least, std::uint64_t) {
          others += least == kOfUniverse ? 1 : 0;
        });
        return others;
      },
      [&](std::uint64_t, std::uint64_t others) { all += others; });
  return all;
}

}  // namespace

std::uint64_t check_exact_set(const file::Container& container, const KeyInput& members,
                              const std::string& group_delimiter, std::uint64_t memory_bytes,
                              const std::filesystem::path& temp_dir,
                              const base::BuildContext& context) {
  const ExactCheck check(container, {.delimiter = group_delimiter});
  const file::Header& header = container.header();
  const hashing::HashFamily hash = hashing::hash_family(header.key_hash);
  const input::HashOptions options{.seed = header.seed,
                                   .duplicates = input::DuplicatePolicy::ignore_hashes,
                                   .temp_dir = temp_dir,
                                   .memory_bytes = memory_bytes / 2,
                                   .parts = 0,
                                   .hash = hash};
  input::hash_grouped_keys(
      members, check.grouping(), options, context, [&](const input::KeySet& set) {
        if (set.keys.size() != header.keys) {
          fail(container, "holds " + std::to_string(header.keys) + " members, and " +
                              std::to_string(set.keys.size()) + " distinct keys were given");
        }
        Found found(2 * set.keys.size(), {memory_bytes / 2, temp_dir}, context);
        find_members(set.keys, check, container, context, found);
        if (!members.universe) return;
        input::RepeatedInput universe(*members.universe, check.grouping(),
                                      hashing::SeededHash(hash, header.seed), nullptr, false);
        universe.for_each(context, [&](unsigned thread, std::span<const Hash128> hashes,
                                       std::span<const std::uint64_t> groups) {
          check.ask(hashes, groups, [&](const Hash128& one) {
            found.writer(thread).add({one, kOfUniverse});
          });
        });
        const std::uint64_t wrong = count_others(found, context);
        if (wrong != 0) {
          fail(container, std::to_string(wrong) +
                              " keys of the universe that are no members are answered \"member\"");
        }
      });
  return header.keys;
}

}  // namespace crivo::index
