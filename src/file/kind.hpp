// SPDX-License-Identifier: Apache-2.0
/// What a file is for.
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo::file {

enum class Kind : std::uint32_t {
  mphf = 1,
  filter = 2,
  map = 3,
  store = 4,  ///< the index of one
  // Of a sharded build (formats/parts.md): verified and described, but no keys are looked up in it.
  part = 5,      ///< what one shard adds to the file of all
  keys = 6,      ///< hashes of keys, dealt out
  totals = 7,    ///< what is known of all keys of a directory
  records = 8,   ///< those of a store whose index is another file
  manifest = 9,  ///< names the parts of an index, which it stands for
};

/// Whether files of the kind are steps of a sharded build, and no index.
constexpr bool is_step(Kind kind) noexcept {
  return kind >= Kind::part && kind <= Kind::totals;
}

/// The name that users see; empty for a number that is not a kind.
constexpr std::string_view kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::mphf:
      return "mphf";
    case Kind::filter:
      return "filter";
    case Kind::map:
      return "map";
    case Kind::store:
      return "store";
    case Kind::part:
      return "part";
    case Kind::keys:
      return "keys";
    case Kind::totals:
      return "totals";
    case Kind::records:
      return "records";
    case Kind::manifest:
      return "manifest";
  }
  return {};
}

/// The name of a kind that a later version has; empty for another number.
constexpr std::string_view kind_set_aside(std::uint32_t number) noexcept {
  switch (number) {
    case 10:
      return "exact set";
    case 11:
      return "delta";
    case 12:
      return "chain";
    case 13:
      return "dictionary";
    case 14:
      return "filter set";
    default:
      return {};
  }
}

}  // namespace crivo::file
