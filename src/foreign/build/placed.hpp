// SPDX-License-Identifier: Apache-2.0
/// Certificates as equations of their issuer's system.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "foreign/build/issuer_keys.hpp"
#include "foreign/clubcard_file.hpp"

namespace crivo::foreign {

struct Placed {
  std::uint32_t row = 0;
  Coefficients coefficients;

  friend auto operator<=>(const Placed&, const Placed&) = default;
};

/// Certificates in a system of so many rows, in its order, each once.
inline std::vector<Placed> placed(const Issuer& issuer, const Serials& serials,
                                  std::uint64_t rows) {
  std::vector<Placed> all;
  all.reserve(serials.size());
  serials.for_each([&](std::string_view serial) {
    const ClubcardKey key = clubcard_key(issuer, serial);
    all.push_back({static_cast<std::uint32_t>(key.row(rows)), key.coefficients});
  });
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

}  // namespace crivo::foreign
