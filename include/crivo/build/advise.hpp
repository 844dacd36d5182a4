// SPDX-License-Identifier: Apache-2.0
/// Choosing a filter type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"

namespace crivo {

/// Says what a filter is to do.
struct FilterNeeds {
  std::uint64_t keys = 0;   ///< the most that it is to hold
  double fpr = 1.0 / 256;   ///< the highest false-positive rate to allow
  bool is_mutable = false;  ///< keys are to be added and removed, once it is built
  bool unites = false;      ///< it is to be united and intersected with others
  /// How many keys will be asked, where these are known, the filter's among them; 0: they are not.
  std::uint64_t universe = 0;
};

/// A filter that could be built.
struct FilterCandidate {
  FilterOptions options;  ///< for build_filter()
  std::string name;       ///< the type, and what else is chosen: "cuckoo, semi-sorted"
  double bits_per_key = 0;
  std::uint64_t bytes = 0;  ///< of all keys
  double fpr = 0;           ///< designed
  /// Time, as a multiple of that of type ribbon: of a lookup, one at a time, and of a build once
  /// the keys are hashed and sorted. Measured at 10^7 keys; it differs between machines.
  double lookup_cost = 0;
  double build_cost = 0;
  bool adds = false;  ///< keys can be added to the built filter
  bool removes = false;
  bool counts = false;
  bool unites = false;
  std::string problem;  ///< why it will not do; empty where it will
};

struct FilterAdvice {
  /// Those that will do first, each part by ascending size.
  std::vector<FilterCandidate> candidates;
  std::optional<std::size_t> choice;  ///< the smallest that will do; none if none will
  std::string reason;                 ///< a sentence or two on the choice
  /// The bits of an exact set (build_exact()) over FilterNeeds::universe, which answers these keys
  /// without error; 0 where it will not do.
  double exact_bits_per_key = 0;
  std::uint64_t exact_bytes = 0;
  bool exact_is_smaller = false;  ///< than the choice
};

/// Which filter to build. Throws Error(usage) if the rate is none that a filter can be asked for.
CRIVO_API FilterAdvice advise_filter(const FilterNeeds& needs);

}  // namespace crivo
