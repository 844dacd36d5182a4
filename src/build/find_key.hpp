// SPDX-License-Identifier: Apache-2.0
/// Naming a key, of which only the hash is at hand, in a message.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "crivo/build/keys.hpp"
#include "crivo/detail/hash128.hpp"
#include "file/container.hpp"
#include "input/places.hpp"

namespace crivo::index {

struct FoundKey {
  std::string text;   ///< quoted
  std::string place;  ///< input::place_name()
};

/// The first key of the input (with `pairs`, of its pairs) that has one of `hashes`, which are
/// those of a file with `header`; nothing if the input is a pipe, which can be read only once.
std::optional<FoundKey> find_key(const KeyInput& input, const file::Header& header,
                                 std::span<const detail::Hash128> hashes, bool pairs = false);

}  // namespace crivo::index
