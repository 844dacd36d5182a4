// SPDX-License-Identifier: Apache-2.0
/// The files that fuzz_fetch publishes, so that lists of seed_corpus fit them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/sha256.hpp"
#include "ship/contents.hpp"

namespace crivo::fuzz {

inline constexpr std::uint64_t kKeyId = 7;

inline const std::vector<std::string>& published_contents() {
  static const std::vector<std::string> contents{"", "a", std::string(1000, 'b')};
  return contents;
}

inline file::Digest sha256_of(std::string_view content) {
  hashing::Sha256 hash;
  hash.add(base::as_bytes(content));
  return hash.value();
}

/// A set of files of these contents, of which one has two names.
inline file::Contents set_of(std::vector<std::string> names) {
  file::Contents set;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& content = published_contents()[i % published_contents().size()];
    set.push_back({std::move(names[i]), content.size(), sha256_of(content)});
  }
  return set;
}
inline file::Contents first_set() {
  return set_of({"a", "b/c", "b/d/e", "f"});
}

}  // namespace crivo::fuzz
