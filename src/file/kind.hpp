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
  part = 5,   ///< of a sharded build: verified and described, but no keys are looked up in it
};

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
  }
  return {};
}

}  // namespace crivo::file
