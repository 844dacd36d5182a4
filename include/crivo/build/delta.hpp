// SPDX-License-Identifier: Apache-2.0
/// Changes of exact sets and filters: a delta turns a set, with the deltas before it, into the next
/// one, and adds keys to a filter; a chain is a base with the deltas that were applied to it, and
/// is asked as the base is. Files that were published stay as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"

namespace crivo {

struct DeltaOptions {
  /// As ExactOptions::group_delimiter, for a set with groups.
  std::string group_delimiter{};
  /// As ExactOptions::covers: what the universe covers now beside what the set covers.
  std::string covers{};
  bool strict = false;  ///< refuse members that are not in the universe, instead of a warning
};

/// Writes the delta after which the set or chain at `set` has these members, and no others of this
/// universe, which has grown or is the same: a key that was in a universe before and is in this one
/// no more may be answered in any way. Members are in the universe or not. The universe is read
/// twice; a pipe is kept, by its hashes. The file has some log2(keys / changes) + 4 bits for each
/// key whose answer changes, among them those new keys that the set took for members.
///
/// The seed of `options` says nothing; of Output it is as build_exact(). Memory: 24 bytes
/// for each member and for each key of the universe that the set takes for one, on temporary disk
/// beyond the budget, and 500 bytes for each key that changes. Throws Error(usage) where `set` is
/// no exact set or chain; Error(bad_input) for a member that comes twice, with `strict` for members
/// outside the universe, and where two keys cannot be told apart; Error(corrupt, io).
CRIVO_API BuildSummary build_delta(const std::filesystem::path& set, const KeyInput& members,
                                   const KeyInput& universe, const Output& output,
                                   const DeltaOptions& delta = {},
                                   const BuildOptions& options = {});

struct FilterDeltaOptions {
  /// The highest false-positive rate of the layer that the delta adds, from 2^-32 to below 1.
  /// Without it the i-th delta of a filter has that of the filter divided by i (i + 1), or 2^-32:
  /// then a chain errs less than twice as often as its base, however many deltas it has.
  std::optional<double> fpr{};
};

/// Writes the delta after which the filter, or chain of one, at `filter` holds these keys, too.
/// Those that it holds already, or takes for its own by accident, are left out, so that `added` may
/// be a whole list. The others are in a filter of their own of type ribbon, a *layer*: log2(1 /
/// rate) bits a key and some 500 bytes. A lookup in a chain asks its base and all layers, each some
/// 20 nanoseconds, for a key that none holds.
///
/// The base may be of any type but split-block-bloom and range. Of `options` the seed says nothing;
/// of Output it is as build_filter(), and the summary's keys are those given. Memory: 16 bytes for
/// each key given, on temporary disk beyond the budget. Throws Error(usage) where `filter` is no
/// such filter or chain of one, or a manifest, and for a rate out of range; Error(bad_input) for a
/// key that comes twice; Error(corrupt, io).
CRIVO_API BuildSummary build_filter_delta(const std::filesystem::path& filter,
                                          const KeyInput& added, const Output& output,
                                          const FilterDeltaOptions& delta = {},
                                          const BuildOptions& options = {});

/// Says what squash_deltas() and apply_deltas() wrote.
struct DeltaSummary {
  std::filesystem::path output;
  std::uint64_t bytes = 0;        ///< of the delta; of a chain with its base and deltas
  std::uint64_t base_bytes = 0;   ///< of a chain
  std::uint64_t delta_bytes = 0;  ///< of a chain
  std::uint64_t deltas = 0;       ///< in all; a squashed one counts for those that it joins
  std::uint64_t flips = 0;        ///< keys whose answers change; none of a filter
  std::uint64_t members = 0;      ///< of the set after them, or keys of the filter
  double fpr = 0;                 ///< of a chain of a filter: of its base and all layers
  bool is_long = false;           ///< of a chain: the deltas take more than a quarter of the base
  /// Whether a new base serves better: the chain is long, or a filter that errs more than twice as
  /// often as its base.
  bool rebase = false;
  std::string state{};  ///< in hexadecimal digits: what the next delta must follow
  std::vector<Warning> warnings{};
};

/// Joins deltas that follow each other, in their order, to one file that has the same effect and
/// leads to the same state, so that what follows them follows it, too. Needs no universe. It is
/// about as large as they are. Throws Error(corrupt) for a delta that does not follow the one
/// before it; Error(usage) for a file that is not a delta, for more than 1000 layers of a filter,
/// and where the output exists, unless `replace`; Error(io).
CRIVO_API DeltaSummary squash_deltas(std::span<const std::filesystem::path> deltas,
                                     const std::filesystem::path& output, bool replace = false);

struct ApplyOptions {
  bool replace = false;  ///< an output that is not the chain to be lengthened, and exists
  /// Whose signatures the base and the deltas must have: each is checked as by verify_signed().
  std::optional<Trust> trust{};
};

/// Writes the chain of an exact set or a filter, or of the files of a chain, and then these deltas,
/// in their order. A chain names its files by their paths below its folder. Where `output` is the
/// chain itself it is replaced at once: whoever has it open goes on with the old one, and a process
/// that is killed leaves the old or the new one. Two who lengthen one chain at once wait for each
/// other, and the second may find that its delta does not follow any more.
///
/// Throws Error(corrupt), and changes nothing, for a delta of another base, out of order or
/// damaged, and for a file whose signature is not as it should be; Error(usage) for files of other
/// kinds or outside the chain's folder, and where the output exists; Error(io). O(bytes of all
/// deltas).
CRIVO_API DeltaSummary apply_deltas(const std::filesystem::path& set,
                                    std::span<const std::filesystem::path> deltas,
                                    const std::filesystem::path& output,
                                    const ApplyOptions& options = {});

}  // namespace crivo
