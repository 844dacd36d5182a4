// SPDX-License-Identifier: Apache-2.0
/// How static functions of an algorithm are built.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/retrieval/build/value_source.hpp"
#include "structures/static_function.hpp"

namespace crivo::csf {
struct Histogram;
}

namespace crivo::map {

/// The choices about a static function.
struct Parameters {
  unsigned width = 64;  ///< bits of a value, 1 to 64
  unsigned arity = 4;   ///< slots that make up a value, 3 or 4
  /// How often each value occurs, for algorithms that compress; outlives plan().
  const csf::Histogram* counts = nullptr;
};

/// How static functions of an algorithm are built.
struct Builder {
  std::string_view name;       ///< of the Algorithm
  std::uint32_t section_type;  ///< of the section that it writes
  bool compresses = false;     ///< it is for skewed values, and that of the name with `--compress`
  BuildCost cost;
  /// About what the section of n keys takes for each; at most, where that depends on the values.
  /// O(1).
  double (*bits_per_key)(std::uint64_t n, const Parameters& parameters);
  /// The function of n keys with values below 2^width, to be built in parts. Null where it takes
  /// the whole set at once: then build_whole writes the function of a set.
  std::unique_ptr<Assembly> (*plan)(std::uint64_t n, const Parameters& parameters,
                                    retrieval::ValueSource values) = nullptr;
  void (*build_whole)(const stream::HashSource& hashes, const Parameters& parameters,
                      const retrieval::ValueSource& values, const base::BuildContext& context,
                      base::Sink& sink) = nullptr;

  /// The row of those that read its sections.
  const Algorithm& algorithm() const noexcept;
  /// Writes the function of `hashes` to `sink`. The bytes depend on the hashes and values alone,
  /// not on threads. Reports to the phase of `context.progress` that the caller began.
  void build(const stream::HashSource& hashes, const Parameters& parameters,
             const retrieval::ValueSource& values, const base::BuildContext& context,
             base::Sink& sink) const;
};

/// A row for each of algorithms(), in their order.
std::span<const Builder> builders() noexcept;
/// The names of those that a user chooses among.
std::span<const std::string_view> algorithm_names() noexcept;

}  // namespace crivo::map
