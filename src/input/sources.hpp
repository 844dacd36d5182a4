// SPDX-License-Identifier: Apache-2.0
/// The parts of an input, whatever it is cut into.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"

namespace crivo::input {

/// Files by their names, in order; or one source that a program hands over; or the output of a
/// command, which `paths` names for messages.
struct Sources {
  // NOLINTBEGIN(google-explicit-constructor): either is what its holder reads
  Sources(std::vector<std::string> files) : paths(std::move(files)) {}
  Sources(std::initializer_list<std::string> files) : paths(files) {}
  Sources(const KeyInput& input);
  // NOLINTEND(google-explicit-constructor)

  std::size_t size() const noexcept { return source ? 1 : paths.size(); }
  bool empty() const noexcept { return size() == 0; }

  /// Whether they are files, each of a name.
  bool are_files() const noexcept { return !source && command.empty(); }
  /// Whether all can be read again, from the beginning. Throws Error(io).
  bool can_be_read_again() const;

  std::vector<std::string> paths;
  std::shared_ptr<KeySource> source;
  std::string command;
};

/// Whether a file is there, and is a regular one; it is not opened.
bool is_regular_file(const std::string& path) noexcept;

/// The total size of the files if all are regular and so can be read again, and that of a source
/// of known size; nothing otherwise.
std::optional<std::uint64_t> regular_input_bytes(const Sources& sources);

}  // namespace crivo::input
