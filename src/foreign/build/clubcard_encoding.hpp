// SPDX-License-Identifier: Apache-2.0
/// The bytes of a clubcard, and of upki's index of some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "foreign/clubcard_file.hpp"

namespace crivo::foreign {

/// The part of an issuer; its exceptions stand beside it.
struct WrittenIssuer {
  ClubcardIssuer part;
  std::vector<std::string> exceptions;
};

using ColumnWords = std::vector<std::uint64_t>;

/// `parts` ascend by their issuers.
base::Bytes encode(const std::vector<ClubcardCoverage>& coverage,
                   const std::vector<WrittenIssuer>& parts, const std::vector<ColumnWords>& approx,
                   const ColumnWords& exact);

/// A clubcard with its name in the index's directory, and what it covers.
struct NamedClubcard {
  std::string name;
  std::vector<ClubcardCoverage> coverage;
};
base::Bytes encode_index(const std::vector<NamedClubcard>& clubcards);

}  // namespace crivo::foreign
