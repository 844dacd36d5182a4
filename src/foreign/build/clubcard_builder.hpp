// SPDX-License-Identifier: Apache-2.0
/// A clubcard as it is built: for each issuer a system that all members solve and a share of the
/// others, then one that tells these from the members.
///
///     members ──▶ approximate systems ──▶ the universe's certificates that pass ──▶ exact systems
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "foreign/build/issuer_keys.hpp"
#include "foreign/clubcard_file.hpp"

namespace crivo::foreign {

struct ClubcardInput {
  const KeyInput& members;
  const KeyInput& universe;  ///< is read twice
  input::Grouping grouping{};
  std::vector<ClubcardCoverage> coverage{};
  std::uint64_t seed = 0;  ///< draws what is free in the systems
  bool ignore_duplicates = false;
  std::uint64_t memory_bytes = UINT64_MAX;
};

struct BuiltClubcard {
  base::Bytes bytes;
  std::uint64_t members = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t universe = 0;  ///< certificates, repeats counted
  std::uint64_t missing = 0;   ///< members that the universe lacks
};

/// Builds the bytes of a clubcard, which depend on the two sets, the coverage and the seed. Memory:
/// the serial numbers of members and of what passes, and systems of 33 bytes a row. Throws Error:
/// bad_input (what the format cannot hold, by file and line; a changed universe), io (beyond
/// memory_bytes), cancelled.
BuiltClubcard build_clubcard(const ClubcardInput& input, const base::BuildContext& context);

}  // namespace crivo::foreign
