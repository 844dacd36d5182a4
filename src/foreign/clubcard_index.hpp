// SPDX-License-Identifier: Apache-2.0
/// The index of a directory of clubcards (index.bin of C2SP's upki-revocation): which of them cover
/// the certificates that a log dated in a range.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "foreign/clubcard_file.hpp"

namespace crivo::foreign {

inline constexpr std::string_view kClubcardIndexMagic = "upkiidx1";
/// Of a name, which is filled up with zeros; of a log in the directory; of an entry of a log.
inline constexpr std::size_t kIndexNameBytes = 32;
inline constexpr std::size_t kIndexLogBytes = kLogBytes + 10;
inline constexpr std::size_t kIndexEntryBytes = 18;

/// Whether an index can name a file so: letters, digits and "-._" alone, so that no name leads out
/// of the directory.
bool is_clubcard_name(std::string_view name) noexcept;

/// What an index says.
struct ClubcardIndex {
  /// Of one log: the clubcard with that number covers certificates from `low` to `high`.
  struct Entry {
    std::uint16_t clubcard = 0;
    ClubcardCoverage coverage;
  };
  std::vector<std::string> names;
  std::vector<Entry> entries;
};

/// Reads all of it. Throws Error(corrupt), which begins with `name`.
ClubcardIndex read_clubcard_index(base::ByteView bytes, const std::string& name);

}  // namespace crivo::foreign
