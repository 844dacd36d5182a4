// SPDX-License-Identifier: Apache-2.0
/// What a minimal perfect hash function is to the rest of Crivo.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "crivo/detail/phast_level.hpp"
#include "crivo/parameter.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "structures/assembly.hpp"
#include "structures/build_cost.hpp"
#include "structures/classic/range.hpp"
#include "structures/retrieval/value_source.hpp"

namespace crivo::mphf {

/// Makes the second halves of keys' hashes, where the first are not enough.
class SecondHalves {
 public:
  virtual ~SecondHalves() = default;
  /// That of key i.
  virtual std::uint64_t operator()(std::size_t i) const noexcept = 0;
};

/// A bijection from the n hashes it was built over to [0, n), resting on mapped bytes that must
/// outlive it. Any other hash gets some rank in [0, n) too. Immutable; safe for any number of
/// threads. Whatever the bytes hold, `rank` reads none outside them and returns a value below
/// size() (0 when n is 0).
class Function {
 public:
  virtual ~Function() = default;

  virtual std::uint64_t size() const noexcept = 0;
  virtual std::uint64_t rank(Hash128 hash) const noexcept = 0;
  /// ranks[i] = rank(hashes[i]), with the cache misses overlapped. `ranks` has room for
  /// hashes.size().
  virtual void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept = 0;
  /// The same of the hashes with these first halves.
  virtual void ranks_by_halves(std::span<const std::uint64_t> halves, const SecondHalves& second,
                               std::uint64_t* ranks) const noexcept {
    for (std::size_t i = 0; i < halves.size(); ++i) ranks[i] = rank({halves[i], second(i)});
  }

  /// What it has to say of its shape, and of how it was found.
  virtual std::vector<Parameter> parameters() const { return {}; }

  /// A level that a caller may ask before it calls anything: the rank is the value that the level
  /// gives to the hash, or, if it bumps it, bumped_rank(). Lives as long as the function. By
  /// default it bumps all.
  virtual const detail::PhastLevel& first_level() const noexcept { return detail::kBumpsAll; }
  virtual std::uint64_t bumped_rank(Hash128 hash) const noexcept { return rank(hash); }
};

/// The keys that their part could not give a rank: a few in a hundred. They have ranks among those
/// of any part, or behind them all.
struct BumpedKeys {
  const stream::HashSource* keys = nullptr;   ///< by hashes of the assembly's own; null: none
  Hash128 (*hash_of)(Hash128 own) = nullptr;  ///< that the function takes
  std::uint64_t first_rank = 0;               ///< none of them has one before
};

/// What the parts of a function have beside it.
struct PartContents {
  unsigned signature_bits = 0;  ///< 8, 16 or 32: the bits of Part::signatures; 0: there are none
  bool has_ranks = false;       ///< Part::ranks
  unsigned cell_bits = 0;       ///< 2^cell_bits cells of these, or as many as there are partitions

  bool any() const noexcept { return signature_bits != 0 || has_ranks; }
  /// What they take.
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

/// What may be chosen of an algorithm.
struct BuildChoices {
  unsigned effort = 0;  ///< 0 to Algorithm::max_effort
  classic::Range range =
      classic::Range::modulo;  ///< of the seeds' algorithms; no other looks at it
  /// The ranks that the keys are to have, of algorithms that preserve an order; where there are
  /// none, that of the hashes. No other looks at it.
  retrieval::ValueSource ranks{};
  PartContents contents{};
};

/// An algorithm that a user can name. To add one: implement plan and open, and add a row to the
/// registry.
struct Algorithm {
  std::string_view name;       ///< of `--algorithm` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  /// Efforts from 0, the default, to this one trade time of the build for space.
  unsigned max_effort = 0;
  /// Whether it is one of the seeds' (formats/seeds.md), which take any key hash and range.
  bool of_seeds = false;
  /// Whether it gives each key the rank that BuildChoices::ranks has for it.
  bool preserves_order = false;
  std::array<double, 3> bits_per_key;  ///< of its section, by effort
  BuildCost cost;
  /// The function of n keys, to be built in parts. Null where there are none: then build_whole
  /// writes the function of a set that it takes as a whole.
  std::unique_ptr<FunctionAssembly> (*plan)(std::uint64_t n, const BuildChoices& choices) = nullptr;
  void (*build_whole)(const stream::HashSource& hashes, const BuildChoices& choices,
                      const base::BuildContext& context, base::Sink& sink) = nullptr;
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound.
  std::unique_ptr<const Function> (*open)(base::ByteView section);

  /// Writes the function of `hashes` to `sink`; returns what it was built by, null of a set that
  /// was taken as a whole. `see` is shown each part. The bytes depend on the hashes and the choices
  /// alone, not on threads.
  std::unique_ptr<FunctionAssembly> build(
      const stream::HashSource& hashes, const BuildChoices& choices,
      const base::BuildContext& context, base::Sink& sink,
      const std::function<void(const Part& part)>& see = {}) const;
};

/// The algorithms in the order that `--help` lists them; the first is the default.
std::span<const Algorithm> algorithms() noexcept;
std::span<const std::string_view> algorithm_names() noexcept;

}  // namespace crivo::mphf
