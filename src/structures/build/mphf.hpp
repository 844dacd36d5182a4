// SPDX-License-Identifier: Apache-2.0
/// How minimal perfect hash functions of an algorithm are built.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/classic/range.hpp"
#include "structures/mphf.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::mphf {

/// The keys that their part could not give a rank: a few in a hundred. They have ranks among those
/// of any part, or behind them all.
struct BumpedKeys {
  const stream::HashSource* keys = nullptr;   ///< by hashes of the assembly's own; null: none
  Hash128 (*hash_of)(Hash128 own) = nullptr;  ///< that the function takes
  std::uint64_t first_rank = 0;               ///< none of them has one before
};

/// The data that the parts of a function have beside it.
struct PartContents {
  unsigned signature_bits = 0;  ///< 8, 16 or 32: the bits of Part::signatures; 0: there are none
  bool has_ranks = false;       ///< Part::ranks
  unsigned cell_bits = 0;       ///< 2^cell_bits cells of these, or as many as there are partitions

  bool any() const noexcept { return signature_bits != 0 || has_ranks; }
  /// Returns the bytes that they take of a key.
  double key_bytes() const noexcept {
    return signature_bits / 8.0 + (has_ranks ? sizeof(std::uint32_t) : 0);
  }
};

/// A function that is built in parts, one a partition. Part::signatures, where they are asked for,
/// are those of the ranks from the first to the last that the part's keys have, but for bumped
/// keys: 0 there, and where other ranks are bumped keys' alone. So the parts' in order are those of
/// all ranks from 0 on, without the last, which bumped keys have.
class FunctionAssembly : public Assembly {
 public:
  /// Once it is finished, as long as it lives.
  virtual BumpedKeys bumped() const { return {}; }
};

/// Throws Error(bad_input): of keys that are left over, some have one hash.
[[noreturn]] void fail_equal_hashes();

/// The choices that an algorithm has.
struct BuildChoices {
  unsigned effort = 0;  ///< 0 to Builder::max_effort
  classic::Range range =
      classic::Range::modulo;  ///< of the seeds' algorithms; no other looks at it
  /// The ranks that the keys are to have, of algorithms that preserve an order; where there are
  /// none, that of the hashes. No other looks at it.
  retrieval::ValueSource ranks{};
  PartContents contents{};
};

/// How functions of an algorithm are built.
struct Builder {
  std::string_view name;       ///< of the Algorithm
  std::uint32_t section_type;  ///< of the section that it writes
  /// Efforts from 0, the default, to this one trade time of the build for space.
  unsigned max_effort = 0;
  /// Whether it gives each key the rank that BuildChoices::ranks has for it.
  bool preserves_order = false;
  std::array<double, 3> bits_per_key;  ///< of its section, by effort
  BuildCost cost;
  /// The function of n keys, to be built in parts. Null where there are none: then build_whole
  /// writes the function of a set that it takes as a whole.
  std::unique_ptr<FunctionAssembly> (*plan)(std::uint64_t n, const BuildChoices& choices) = nullptr;
  void (*build_whole)(const stream::HashSource& hashes, const BuildChoices& choices,
                      const base::BuildContext& context, base::Sink& sink) = nullptr;

  /// The row of those that read its sections.
  const Algorithm& algorithm() const noexcept;
  /// Writes the function of `hashes` to `sink`; returns what it was built by, null of a set that
  /// was taken as a whole. `visit` is called with each part. The bytes depend on the hashes and the
  /// choices alone, not on threads.
  std::unique_ptr<FunctionAssembly> build(
      const stream::HashSource& hashes, const BuildChoices& choices,
      const base::BuildContext& context, base::Sink& sink,
      const std::function<void(const Part& part)>& visit = {}) const;
};

/// A row for each of algorithms(), in their order.
std::span<const Builder> builders() noexcept;
std::span<const std::string_view> algorithm_names() noexcept;

}  // namespace crivo::mphf
