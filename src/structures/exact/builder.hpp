// SPDX-License-Identifier: Apache-2.0
/// Builds the sections of an exact set from its members and one stream of its universe, which is
/// gone through twice.
///
///     members, universe ──▶ keys of each group ──▶ width of each ──▶ a filter for each width
///     universe ──▶ what passes its group's filter ──▶ with the members: a function of one bit
///
/// Of groups without a filter over their members (others are few) all keys are gathered; how many
/// others they have is known exactly then, so that these can be inverted, or have members alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "stream/key_source.hpp"
#include "structures/exact/groups.hpp"

namespace crivo::exact {

/// Keys of a universe, in any order, with repeats or without, members among them or not.
class UniverseKeys {
 public:
  virtual ~UniverseKeys() = default;

  /// From several threads at once; groups[i] is the first half of the hash of hashes[i]'s group,
  /// and there are none in a set without groups.
  using Visit = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                   std::span<const std::uint64_t> groups)>;
  /// The same keys each time. `thread` is less than context.threads.
  virtual void for_each(const base::BuildContext& context, const Visit& visit) const = 0;
};

/// Where sections go. A sink is valid until the next call.
class SectionOutput {
 public:
  virtual ~SectionOutput() = default;

  virtual base::Sink& begin_filter(unsigned tag) = 0;
  /// The bytes of the filter that was begun last; they stay where they are as long as this does.
  virtual base::ByteView written_filter() = 0;
  virtual base::Sink& begin_bit() = 0;
  virtual base::Sink& begin_groups() = 0;
};

struct Parameters {
  bool grouped = false;
  /// The rate at which keys outside the universe may be taken for members, at most.
  std::optional<double> outside_rate{};
  /// Of gathered keys in memory, before they are spilled.
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

struct Built {
  Totals totals;
  std::uint64_t groups = 0;
  std::uint64_t missing = 0;       ///< members that the universe lacks
  std::uint64_t temp_bytes = 0;    ///< of gathered keys
  std::uint64_t universe_sum = 0;  ///< of the first halves of its keys' hashes, modulo 2^64
};

/// `members` have the hash of their group as their value, in a set with groups. Bytes depend on the
/// sets of members and of keys of the universe, on how many keys that has in each group, repeats
/// counted, and on the parameters. Memory: what the members take, 24 bytes for each key that passes
/// and some more, as far as memory_bytes allows.
Built build(const stream::KeySource& members, const UniverseKeys& universe,
            const Parameters& parameters, const base::BuildContext& context, SectionOutput& output);

/// What build() would write, about.
struct Planned {
  std::uint64_t universe = 0;  ///< keys, repeats counted
  std::uint64_t passing = 0;
  std::uint64_t bytes = 0;  ///< of all sections
};
Planned plan(const stream::KeySource& members, const UniverseKeys& universe,
             const Parameters& parameters, const base::BuildContext& context);

}  // namespace crivo::exact
