// SPDX-License-Identifier: Apache-2.0
/// What a file holds.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/bytes.hpp"

namespace crivo::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::string text(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary)
      .read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

inline base::Bytes read_file(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  const base::ByteView bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace crivo::test
