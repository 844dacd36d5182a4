// SPDX-License-Identifier: Apache-2.0
/// What an input consists of, whatever it is cut into.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/key_source.hpp"
#include "crivo/keys.hpp"

namespace crivo::input {

/// Files by their names, in order; or one source that a program hands over.
struct Sources {
  // NOLINTBEGIN(google-explicit-constructor): either is what its holder reads
  Sources(std::vector<std::string> files) : paths(std::move(files)) {}
  Sources(std::initializer_list<std::string> files) : paths(files) {}
  Sources(const KeyInput& input) : paths(input.paths), source(input.source) {}
  // NOLINTEND(google-explicit-constructor)

  std::size_t size() const noexcept { return source ? 1 : paths.size(); }
  bool empty() const noexcept { return size() == 0; }

  std::vector<std::string> paths;
  std::shared_ptr<KeySource> source;
};

}  // namespace crivo::input
