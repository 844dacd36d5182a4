// SPDX-License-Identifier: Apache-2.0
/// Names and values for people and tools, which no lookup needs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crivo/error.hpp"

namespace crivo::file {

/// Sorted UTF-8 names to UTF-8 values. Names that begin with "crivo." are the format's own.
using Metadata = std::map<std::string, std::string, std::less<>>;

/// Names that begin with this one are no choices: versions of libraries that made some of the bytes
/// of a store.
inline constexpr std::string_view kLibraryPrefix = "crivo.with.";

/// A limit of the format.
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 20;

/// The bytes of a section of them.
inline base::Bytes encode(const Metadata& metadata) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(metadata.size()));
  for (const auto& [name, value] : metadata) {
    w.u32(static_cast<std::uint32_t>(name.size())).u32(static_cast<std::uint32_t>(value.size()));
    w.bytes(base::as_bytes(name)).bytes(base::as_bytes(value));
  }
  return w.take();
}

/// Throws Error(corrupt).
inline Metadata decode_metadata(base::ByteView section) {
  base::FieldReader r(section, "metadata");
  if (section.size() > kMaxMetadataBytes) r.fail("larger than its limit");
  Metadata metadata;
  const std::uint32_t count = r.u32();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t name_bytes = r.u32();
    const std::uint32_t value_bytes = r.u32();
    const std::string_view name = base::as_text(r.take(name_bytes));
    const std::string_view value = base::as_text(r.take(value_bytes));
    if (!is_utf8(name) || !is_utf8(value)) r.fail("holds what is not UTF-8");
    if (!metadata.empty() && metadata.rbegin()->first >= name) {
      r.fail("its names are not ascending");
    }
    metadata.emplace_hint(metadata.end(), name, value);
  }
  r.expect_end();
  return metadata;
}

}  // namespace crivo::file
