// SPDX-License-Identifier: Apache-2.0
/// A minimal perfect hash function, as the rest of Crivo sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "crivo/detail/phast_level.hpp"
#include "crivo/inspect.hpp"
#include "hashing/hash128.hpp"

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

  /// Returns rows about its shape, and how it was found.
  virtual std::vector<Parameter> parameters() const { return {}; }

  /// A level that a caller may ask before it calls anything: the rank is the value that the level
  /// gives to the hash, or, if it bumps it, bumped_rank(). Lives as long as the function. By
  /// default it bumps all.
  virtual const detail::PhastLevel& first_level() const noexcept { return detail::kBumpsAll; }
  virtual std::uint64_t bumped_rank(Hash128 hash) const noexcept { return rank(hash); }
};

/// An algorithm: how its sections are read. To add one: implement open() and what mphf::Builder
/// asks for (structures/build/mphf.hpp), and add a row to both registries.
struct Algorithm {
  std::string_view name;       ///< of `--algorithm` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  /// Whether it is one of the seeds' (formats/seeds.md), which take any key hash and range.
  bool of_seeds = false;
  /// Checks the section in time that does not grow with n, and throws Error(corrupt) if it is
  /// unsound. If the bytes have checks, it touches what is read, then and by lookups.
  std::unique_ptr<const Function> (*open)(const base::CheckedBytes& section);
};

/// The algorithms in the order that `--help` lists them; the first is the default.
std::span<const Algorithm> algorithms() noexcept;

}  // namespace crivo::mphf
