// SPDX-License-Identifier: Apache-2.0
/// A static function, as the rest of Crivo sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/page_checks.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "crivo/inspect.hpp"
#include "hashing/hash128.hpp"

namespace crivo::map {

/// Gives each of the n hashes it was built over its value, and any other hash some value, resting
/// on mapped bytes that must outlive it. Immutable; safe for any number of threads. Whatever the
/// bytes hold, no byte outside them is read and every answer is below 2^width().
class StaticFunction {
 public:
  virtual ~StaticFunction() = default;

  /// n, the number of hashes it was built over.
  virtual std::uint64_t size() const noexcept = 0;
  /// The bits of a value: 1 to 64, or 0 where every value is 0 and they are compressed.
  virtual unsigned width() const noexcept = 0;
  /// The empirical entropy of the values in bits a key, where they are compressed.
  virtual std::optional<double> entropy() const noexcept { return std::nullopt; }
  /// Returns rows about its shape, and how it was found.
  virtual std::vector<Parameter> parameters() const { return {}; }

  virtual std::uint64_t value(Hash128 hash) const noexcept = 0;
  /// value() for callers that ask again and again; lives as long as the function.
  virtual detail::MapLookup lookup() const noexcept {
    const auto value = [](const void* function, std::uint64_t hi, std::uint64_t lo) noexcept {
      return static_cast<const StaticFunction*>(function)->value(Hash128{hi, lo});
    };
    return {value, this};
  }
  /// values[i] = value(hashes[i]), with the cache misses overlapped. `values` has room for
  /// hashes.size().
  virtual void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept = 0;
};

/// A static function that is a `Table`, which has these as they stand (entropy() perhaps, and
/// lookup() as value_lookup()).
template <typename Table>
class TableFunction final : public StaticFunction {
 public:
  explicit TableFunction(Table table) : table_(std::move(table)) {}

  std::uint64_t size() const noexcept override { return table_.size(); }
  unsigned width() const noexcept override { return table_.width(); }
  std::optional<double> entropy() const noexcept override {
    if constexpr (requires { table_.entropy(); }) {
      return table_.entropy();
    } else {
      return std::nullopt;
    }
  }
  std::uint64_t value(Hash128 hash) const noexcept override { return table_.value(hash); }
  detail::MapLookup lookup() const noexcept override {
    if constexpr (requires { table_.value_lookup(); }) {
      return table_.value_lookup();
    } else {
      return StaticFunction::lookup();
    }
  }
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept override {
    table_.values(hashes, values);
  }

 private:
  Table table_;
};

/// An algorithm: how its sections are read. To add one: implement open() and what map::Builder asks
/// for (structures/build/static_function.hpp), and add a row to both registries.
struct Algorithm {
  std::string_view name;       ///< of `--algorithm` and of `info`
  std::uint32_t section_type;  ///< its permanent number in the file format
  /// Checks the section in time that does not grow with n but for its partitions, and throws
  /// Error(corrupt) if it is unsound. Where it reads a page of each partition it calls `forget`,
  /// if there is one, after some. If the bytes have checks, it touches what is read, then and by
  /// lookups.
  std::unique_ptr<const StaticFunction> (*open)(const base::CheckedBytes& section,
                                                const std::function<void()>& forget);
};

/// The algorithms in the order that `--help` lists them; the first is the default.
std::span<const Algorithm> algorithms() noexcept;

}  // namespace crivo::map
