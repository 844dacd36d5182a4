// SPDX-License-Identifier: Apache-2.0
/// The keys that files of any content are asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace crivo::fuzz {

inline constexpr std::size_t kKeys = 70;

/// Keys of the stores that the corpus begins with, others, and an empty and a long one.
inline const std::vector<std::string_view>& keys() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all{"", std::string(300, 'k')};
    while (all.size() < kKeys) {
      const std::string i = std::to_string(all.size());
      all.push_back("http://host" + std::to_string(all.size() % 7) + ".example/" + i);
    }
    return all;
  }();
  static const std::vector<std::string_view> views(texts.begin(), texts.end());
  return views;
}

}  // namespace crivo::fuzz
