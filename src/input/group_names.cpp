// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "hashing/key_hash.hpp"
#include "input/grouped_keys.hpp"
#include "input/hash_passes.hpp"

namespace crivo::input {
namespace {

void check_name(std::string_view name, const Place& place) {
  if (name.empty()) throw InputFault(place, "the name of the key's group is empty");
  if (name.size() > GroupNames::kMostBytes)
    throw InputFault(place, "the name of the key's group has more than 255 bytes");
  if (name.find_first_of(std::string_view("\t\n\0", 3)) != std::string_view::npos)
    throw InputFault(place, "the name of the key's group has a TAB, LF or NUL");
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

  const KeyFormat& format;
  const hashing::SeededHash& hash;
  GroupNames& names;
};

}  // namespace

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

base::Bytes GroupNames::noted() const {
  base::FieldWriter noted;
  noted.u64(groups_.size());
  for (const auto& [hash, group] : groups_) {
    noted.u64(hash).u64(group.keys).u8(static_cast<std::uint8_t>(group.name.size()));
    noted.bytes(base::as_bytes(group.name));
  }
  return noted.take();
}

void GroupNames::go_on_from(base::ByteView noted, const std::string& name) {
  base::FieldReader fields(noted, name);
  const std::uint64_t count = fields.u64();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t hash = fields.u64();
    const std::uint64_t keys = fields.u64();
    const std::string_view group = base::as_text(fields.take(fields.u8()));
    if (group.empty() || keys == 0) fields.fail("has a group without a name or a key");
    if (groups_.contains(hash)) fields.fail("has a group twice");
    add(hash, group, keys);
  }
  fields.expect_end();
}

void hash_keys_by_group(const KeyInput& input, const HashOptions& options, GroupNames& names,
                        const base::BuildContext& context, const UseKeys& use) {
  const KeyFormat format = grouped_format(input.format, {.grouped = true});
  const hashing::SeededHash hash(options.hash, options.seed);
  HashOptions of_groups = options;
  of_groups.parts = 0;
  of_groups.duplicates = DuplicatePolicy::ignore_hashes;
  HashPasses<KeysOfGroups>(input, UnitFraming::of(format, true), KeysOfGroups{format, hash, names},
                           {}, of_groups, context)
      .run({.names = &names}, use);
}

}  // namespace crivo::input
