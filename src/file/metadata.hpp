// SPDX-License-Identifier: Apache-2.0
/// Names and values for people and tools, which no lookup needs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::file {

/// Sorted UTF-8 names to UTF-8 values. Names that begin with "crivo." are the format's own.
using Metadata = std::map<std::string, std::string, std::less<>>;

/// Names that begin with this one are no choices: versions of libraries that made some of the bytes
/// of a store.
inline constexpr std::string_view kLibraryPrefix = "crivo.with.";

/// A limit of the format.
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 20;

/// The bytes of a section of them.
base::Bytes encode(const Metadata& metadata);
/// Throws Error(corrupt).
Metadata decode_metadata(base::ByteView section);

}  // namespace crivo::file
