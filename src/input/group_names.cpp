// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hashing/key_hash.hpp"
#include "input/grouped_keys.hpp"
#include "input/hash_passes.hpp"

namespace crivo::input {
namespace {

/// What a name has that no group's may have, or null.
const char* fault_of(std::string_view name) noexcept {
  if (name.empty()) return "is empty";
  if (name.size() > GroupNames::kMostBytes) return "has more than 255 bytes";
  const bool has_control = name.find_first_of(std::string_view("\t\n\0", 3)) != name.npos;
  return has_control ? "has a TAB, LF or NUL" : nullptr;
}

void check_name(std::string_view name, const Place& place) {
  const char* const fault = fault_of(name);
  if (fault != nullptr)
    throw InputFault(place, std::string("the name of the key's group ") + fault);
}

/// The names of a chunk, of which some that were met last are added at once.
class ChunkNames {
 public:
  ChunkNames(const hashing::SeededHash& hash, GroupNames& names) : hash_(hash), names_(names) {}
  ~ChunkNames() = default;
  ChunkNames(const ChunkNames&) = delete;
  ChunkNames& operator=(const ChunkNames&) = delete;

  /// The hash of a name, for one key more, which stands at place().
  template <typename PlaceOf>
  std::uint64_t of_key(std::string_view name, const PlaceOf& place) {
    const std::uint64_t hash = hash_(name).hi;
    Met& met = met_[hash % met_.size()];
    if (met.keys == 0 || met.name != name) {
      check_name(name, place());
      put(met);
      met.hash = hash;
      met.name = name;
    }
    ++met.keys;
    return hash;
  }
  void finish() {
    for (Met& met : met_) put(met);
  }

 private:
  struct Met {
    std::uint64_t hash = 0;
    std::string_view name;
    std::uint64_t keys = 0;
  };
  void put(Met& met) {
    if (met.keys != 0) names_.add(met.hash, met.name, std::exchange(met.keys, 0));
  }

  const hashing::SeededHash& hash_;
  GroupNames& names_;
  std::array<Met, 512> met_;
};

/// A unit of HashPasses.
struct KeysOfGroups {
  using HashedKey = Hash128;
  using Rest = std::uint64_t;  ///< the hash of the group's name

  template <typename Add>
  void take(const Chunk& chunk, const Add& add) const {
    if (!grouping.of_files.empty()) return take_file(chunk, add);
    ChunkNames met(hash, names);
    for_each_record(
        chunk, format,
        [&](std::string_view key, std::string_view group, std::uint64_t index, std::size_t offset) {
          add(key, met.of_key(group, [&] { return place_in(chunk, index, offset); }));
        },
        "group");
    met.finish();
  }
  static Hash128 hashed(unsigned, Hash128 hash, std::string_view, std::uint64_t group) noexcept {
    return {group, hash.hi};
  }

  /// Of a chunk, all of whose keys are in one group.
  template <typename Add>
  void take_file(const Chunk& chunk, const Add& add) const {
    const std::string& name = grouping.of_files[chunk.start.file];
    const std::uint64_t group = hash(name).hi;
    std::uint64_t keys = 0;
    for_each_key(chunk, format, [&](std::string_view key, std::uint64_t, std::size_t) {
      ++keys;
      add(key, group);
    });
    names.add(group, name, keys);
  }

  const KeyFormat& format;
  const Grouping& grouping;
  const hashing::SeededHash& hash;
  GroupNames& names;
};

}  // namespace

Grouping grouping_of(const KeyInput& input) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::usage, what); };
  const bool are_files = Sources(input).are_files();
  if (are_files && !input.groups.empty() && input.groups.size() != input.paths.size())
    refuse(std::to_string(input.paths.size()) + " files cannot have the names of " +
           std::to_string(input.groups.size()) + " groups");
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < input.groups.size(); ++i) {
    const std::string& name = input.groups[i];
    if (name == "-")
      refuse("input " + std::to_string(i + 1) +
             " is standard input, which has no name for its group; name a file");
    if (const char* const fault = fault_of(name))
      refuse("input " + std::to_string(i + 1) + ": the name of its group, " + quote(name) + ", " +
             fault);
    const auto [before, is_new] = places.emplace(name, i + 1);
    if (!is_new)
      refuse("inputs " + std::to_string(before->second) + " and " + std::to_string(i + 1) +
             " have one name, " + quote(name) + ", and each is a group of its own");
  }
  return {.grouped = true,
          .of_files = are_files ? std::span(input.groups) : std::span<const std::string>()};
}

void GroupNames::add(std::uint64_t hash, std::string_view name, std::uint64_t keys) {
  constexpr std::uint64_t kGroupBytes = 192;  // beside the name, here and in the build
  const std::scoped_lock lock(mutex_);
  Group& group = groups_[hash];
  if (group.name.empty()) {
    group.name = name;
    used_bytes_ += kGroupBytes + name.size();
    if (used_bytes_ > memory_bytes_) {
      throw Error(ErrorKind::io,
                  "the names of " + std::to_string(groups_.size()) + " groups and more take over " +
                      std::to_string(memory_bytes_ >> 20) +
                      " MiB, a quarter of the memory for keys; raise that",
                  {.remedy = "memory"});
    }
  } else if (group.name != name) {
    throw Error(ErrorKind::bad_input,
                "the names " + quote(group.name) + " and " + quote(name) +
                    " of groups have one hash; build with another seed",
                {.remedy = "keyed_hash"});
  }
  group.keys += keys;
}

void GroupNames::add_given(const KeyInput& input, const hashing::SeededHash& hash) {
  for (const std::string& name : input.groups) add(hash(name).hi, name, 0);
}

base::Bytes GroupNames::noted() const {
  std::vector<std::pair<std::uint64_t, const Group*>> ordered;
  ordered.reserve(groups_.size());
  for (const auto& [hash, group] : groups_) ordered.emplace_back(hash, &group);
  std::ranges::sort(ordered, {}, [](const auto& one) { return one.first; });
  base::FieldWriter noted;
  noted.u64(ordered.size());
  for (const auto& [hash, group] : ordered) {
    noted.u64(hash).u64(group->keys).u8(static_cast<std::uint8_t>(group->name.size()));
    noted.bytes(base::as_bytes(group->name));
  }
  return noted.take();
}

void GroupNames::go_on_from(base::ByteView noted, const std::string& name) {
  add_noted(noted, name, 0, UINT64_MAX);
}

void GroupNames::add_noted(base::ByteView noted, const std::string& name, std::uint64_t least,
                           std::uint64_t most) {
  base::FieldReader fields(noted, name);
  const std::uint64_t count = fields.u64();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t hash = fields.u64();
    const std::uint64_t keys = fields.u64();
    const std::string_view group = base::as_text(fields.take(fields.u8()));
    if (fault_of(group) != nullptr) fields.fail("has a name that no group has");
    if (hash >= least && hash <= most) add(hash, group, keys);
  }
  fields.expect_end();
}

void hash_keys_by_group(const KeyInput& input, const HashOptions& options, GroupNames& names,
                        const base::BuildContext& context, const UseKeys& use) {
  const Grouping grouping = grouping_of(input);
  const KeyFormat format = grouped_format(input.format, grouping);
  const hashing::SeededHash hash(options.hash, options.seed);
  HashOptions of_groups = options;
  of_groups.parts = 0;
  of_groups.duplicates = DuplicatePolicy::ignore_hashes;
  HashPasses<KeysOfGroups>(input, UnitFraming::of(format, grouping.is_of_pairs()),
                           KeysOfGroups{format, grouping, hash, names}, {}, of_groups, context)
      .run({.end = [&] { names.add_given(input, hash); }, .names = &names}, use);
}

}  // namespace crivo::input
