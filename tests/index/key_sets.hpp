// SPDX-License-Identifier: Apache-2.0
/// Key sets for tests of the public API, and the files that they are built from.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/error.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::test {

using Keys = std::vector<std::string>;

/// `count` distinct keys of one common prefix of 60 bytes.
inline Keys numbered_keys(std::uint64_t count, std::uint64_t first = 0) {
  Keys keys;
  keys.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) keys.emplace_back(60, 'p') += std::to_string(first + i);
  return keys;
}

/// Keys that hold no NUL and are hard in other ways: of one byte, of 1 MiB, prefixes of each other,
/// with line ends and bytes that are no UTF-8.
inline Keys adversarial_keys() {
  std::set<std::string> keys;
  for (int byte = 1; byte < 256; ++byte) {
    keys.insert(std::string(1, static_cast<char>(byte)));
    keys.insert("\n\r\t" + std::string(1, static_cast<char>(byte)));
  }
  for (std::size_t length = 1; length <= 300; ++length) keys.insert(std::string(length, 'a'));
  keys.insert(std::string(kMaxKeyBytes, 'a'));
  keys.insert(std::string(kMaxKeyBytes - 1, 'a') + "b");
  keys.insert("b" + std::string(kMaxKeyBytes - 1, 'a'));
  return {keys.begin(), keys.end()};
}

/// A directory for inputs and outputs.
class Workshop {
 public:
  std::filesystem::path at(const std::string& name) const { return directory_.path() / name; }

  KeyInput write(const std::string& name, std::string_view bytes, const KeyFormat& format) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
    return {{at(name).string()}, format};
  }
  /// A file of the keys, NUL after each.
  KeyInput input(const Keys& keys, const std::string& name = "keys") const {
    std::string bytes;
    for (const std::string& key : keys) (bytes += key) += '\0';
    return write(name, bytes, {.framing = KeyFormat::Framing::null});
  }
  /// A file of key NUL record NUL.
  KeyInput pairs(const Keys& keys, const Keys& records) const {
    std::string bytes;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      (bytes += keys[i]) += '\0';
      (bytes += records[i]) += '\0';
    }
    return write("pairs", bytes, {.framing = KeyFormat::Framing::null});
  }
  static BuildOptions options(unsigned threads = 2) {
    BuildOptions options;
    options.resources.threads = threads;
    options.replace = true;
    return options;
  }

 private:
  TempDirectory directory_;
};

inline std::vector<std::string_view> views(const Keys& keys) {
  return {keys.begin(), keys.end()};
}

}  // namespace crivo::test
