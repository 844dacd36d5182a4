// SPDX-License-Identifier: Apache-2.0
/// Searching all keys of a set through tables and functions, and how long it takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/mphf.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/results.hpp"
#include "structures/static_function.hpp"

namespace crivo::experiments {

/// So many passes are made over a set's keys, each over another part of them: every kParts-th block
/// of so many consecutive keys. So no key is searched twice, and a pass finds no caches that the
/// one before has filled for it.
inline constexpr unsigned kPasses = 50;
inline constexpr unsigned kParts = 64;
inline constexpr std::uint64_t kPassBlock = 1024;

/// One of several structures that the same keys are searched in.
struct Contestant {
  std::string name;
  /// Searches keys [begin, end) of the set; returns how many were found.
  std::function<std::uint64_t(std::uint64_t begin, std::uint64_t end)> search;
};

/// Lets each make a pass in turn, and so kPasses times: a machine whose pace changes does so for
/// all. By name, the CPU seconds of each pass, as if it had been over all keys. Throws
/// Error(mismatch) unless each key that is searched is found.
Json race(const KeySet& keys, std::span<const Contestant> contestants);

/// A minimal perfect hash function of a file, and the table of n pointers that it addresses.
class PointersByRank {
 public:
  /// Throws Error(mismatch) unless each key has a rank of its own below n.
  PointersByRank(const KeySet& keys, const std::filesystem::path& file);

  /// Where the key should be.
  std::uint32_t start_of(std::string_view key) const { return pointers_[mphf_.lookup(key)]; }
  /// Whether the rank of each key is its place in the set.
  bool preserves_order() const noexcept { return preserves_order_; }

 private:
  Mphf mphf_;
  std::vector<std::uint32_t> pointers_;
  bool preserves_order_ = true;
};

/// A static function ("ribbon" or "fuse") that gives each key its pointer, without a table.
class PointersByMap {
 public:
  PointersByMap(const KeySet& keys, std::string_view algorithm);

  std::uint32_t start_of(std::string_view key) const;
  std::uint64_t bytes() const noexcept { return section_.size(); }

 private:
  base::Bytes section_;
  std::unique_ptr<const map::StaticFunction> function_;
  std::uint64_t last_;
};

/// Searches by where a key should be: one text is compared.
template <typename Pointers>
Contestant contestant(std::string name, const KeySet& keys, const Pointers& pointers) {
  return {std::move(name), [&keys, &pointers](std::uint64_t begin, std::uint64_t end) {
            std::uint64_t found = 0;
            for (std::uint64_t i = begin; i < end; ++i) {
              const std::string_view key = keys[i];
              found += keys.at(pointers.start_of(key)) == key ? 1 : 0;
            }
            return found;
          }};
}

}  // namespace crivo::experiments
