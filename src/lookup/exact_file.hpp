// SPDX-License-Identifier: Apache-2.0
/// An exact set as a file.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "crivo/exact.hpp"
#include "file/container.hpp"
#include "structures/exact/exact_set.hpp"

namespace crivo::exact {

/// An exact set over a container that must outlive it.
struct ExactFile {
  /// Finds and checks the sections; throws Error(corrupt), named after the container.
  explicit ExactFile(const file::Container& container);

  std::unique_ptr<const ExactSet> set;
  std::vector<Coverage> covers;
};

/// The ranges that a file covers; none if it does not say. Throws Error(corrupt).
std::vector<Coverage> covers_of(const file::Container& container);

/// The ranges that ExactOptions::covers names. Throws Error(usage).
std::vector<Coverage> parse_covers(std::string_view text);

}  // namespace crivo::exact
