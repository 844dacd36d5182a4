// SPDX-License-Identifier: Apache-2.0
/// The directory of a file ("Directory" in formats/crivo-1.md): copies of what lookups look at
/// first, for who reads the file by ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::file {

struct SectionEntry;

/// Copies of the first and the last bytes of a section.
struct CopiedEnds {
  std::uint64_t section = 0;  ///< its number in the table
  base::ByteView head;
  base::ByteView tail;
};

/// Appends them to a directory.
void append(const CopiedEnds& ends, base::Bytes& directory);

/// Throws Error(corrupt) unless the sections are some of these, in ascending order, and each is as
/// long as its ends. O(entries).
std::vector<CopiedEnds> decode_directory(base::ByteView directory,
                                         const std::vector<SectionEntry>& sections);

}  // namespace crivo::file
