// SPDX-License-Identifier: Apache-2.0
/// Dictionaries in memory, and sets of keys for them.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/sink.hpp"
#include "structures/dictionary/build/builder.hpp"
#include "structures/dictionary/layout.hpp"

namespace crivo::dictionary::test {

using Keys = std::vector<std::string>;
using Part = Builder::Part;

/// The sections of a dictionary.
struct Built {
  std::map<Part, base::Bytes> parts;

  Sections sections() const {
    Sections sections{parts.at(Part::head), parts.at(Part::tokens), parts.at(Part::offsets),
                      parts.at(Part::directory), parts.at(Part::blocks)};
    if (parts.contains(Part::values)) sections.values = parts.at(Part::values);
    return sections;
  }
};

/// Of keys in order, with a number beside each where the shape has them.
inline Built build(const Keys& keys, const Shape& shape, unsigned threads = 1,
                   base::Scratch* scratch = nullptr,
                   const std::vector<std::uint64_t>& values = {}) {
  Progress progress;
  Builder builder(shape, base::BuildContext{threads, progress, scratch});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (shape.values) {
      builder.add(keys[i], values[i]);
    } else {
      builder.add(keys[i]);
    }
  }
  std::map<Part, base::MemorySink> sinks;
  builder.finish([&](Part part) -> base::Sink& { return sinks[part]; });
  Built built;
  for (auto& [part, sink] : sinks) built.parts[part] = sink.take();
  return built;
}

inline Keys in_order(Keys keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// Keys of many sorts: short ones, long ones, those of few bytes or of any, and with much in
/// common.
inline Keys random_keys(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const std::size_t count = below(5) == 0 ? below(3000) : below(300);
  const std::uint64_t sort = below(5);
  Keys keys;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key;
    if (sort == 4) key.assign(below(3) * 90, 'x');
    std::size_t length = below(8);
    if (sort == 0) length = below(4);
    if (sort == 1) length = below(20);
    if (sort == 2) length = below(50) == 0 ? below(3000) : below(3) * 100 + below(100);
    const std::uint64_t letters = below(2) == 0 ? 2 : 26;
    for (std::size_t j = 0; j < length; ++j) {
      key += sort == 3 ? static_cast<char>(below(3) == 0 ? 0 : below(256))
                       : static_cast<char>('a' + below(letters));
    }
    keys.push_back(std::move(key));
  }
  return in_order(std::move(keys));
}

/// A text that may or may not be among the keys, or near one.
inline std::string random_text(const Keys& keys, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::string text;
  if (!keys.empty() && below(4) != 0) {
    text = keys[below(keys.size())];
    if (below(2) == 0 && !text.empty()) text.resize(below(text.size()));
    if (below(2) == 0 && !text.empty()) text[below(text.size())] = static_cast<char>(random());
    if (below(2) == 0) text += static_cast<char>(random());
    return text;
  }
  for (std::uint64_t left = below(8); left != 0; --left)
    text += static_cast<char>(below(4) != 0 ? 'a' + below(3) : below(256));
  return text;
}

}  // namespace crivo::dictionary::test
