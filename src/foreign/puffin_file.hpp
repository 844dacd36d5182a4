// SPDX-License-Identifier: Apache-2.0
/// A Puffin file of Apache Iceberg: blobs, and behind them what they are, in JSON. After its
/// specification, version 1.
///
///     file      "PFA1" | blobs | "PFA1" | JSON | its length 4 | flags 4 | "PFA1"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::foreign::puffin {

inline constexpr std::string_view kMagic = "PFA1";
/// Behind the JSON: its length, flags and the magic number.
inline constexpr std::size_t kEndBytes = 12;
/// The type of the blobs that are files of Crivo's filters: until there is one that is agreed on.
inline constexpr std::string_view kFilterType = "crivo-filter-provisional";
inline constexpr std::string_view kNameProperty = "name";

struct Blob {
  std::string type;
  std::string name;  ///< of our type
  bool is_compressed = false;
  base::ByteView bytes;
};

/// Reads what a file has, in the order of its JSON. Throws Error(corrupt), which begins with
/// `name`; Error(usage) for JSON that is compressed.
std::vector<Blob> read_blobs(base::ByteView file, const std::string& name);

}  // namespace crivo::foreign::puffin
