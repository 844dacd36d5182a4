// SPDX-License-Identifier: Apache-2.0
/// What the parts of seed_corpus share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/bytes.hpp"
#include "crivo/build/build.hpp"

namespace crivo::fuzz {

using Path = std::filesystem::path;

/// One input: what chooses how it is read, then the bytes to read.
inline void write(const Path& directory, const std::string& name, const std::string& choice,
                  base::ByteView bytes) {
  std::filesystem::create_directories(directory);
  std::ofstream out(directory / name, std::ios::binary);
  out << choice << base::as_text(bytes);
  if (!out.flush()) throw std::runtime_error("cannot write " + (directory / name).string());
}

inline std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (; bytes.size() < size; value >>= 8) bytes += static_cast<char>(value);
  return bytes;
}

inline std::string of_bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

/// Key and record `i` of the stores and key files.
inline std::string key(std::uint64_t i) {
  return "http://host" + std::to_string(i % 7) + ".example/" + std::to_string(i);
}
inline std::string record(std::uint64_t i) {
  return R"({"status":"ok","bytes":)" + std::to_string(i * i % 10007) + "}";
}

inline std::string contents(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline const BuildOptions& build_options() {
  static const BuildOptions kOptions = [] {
    BuildOptions options;
    options.resources.threads = 1;
    options.replace = true;
    return options;
  }();
  return kOptions;
}

/// For fuzz_signed: files, of which zeros are left out, and the files of keys.
void write_signed(const Path& directory);
/// For fuzz_fetch: lists of its files, and of one that it has not; what the site lies about.
void write_lists(const Path& directory);
/// For fuzz_lmdb: environments with a database without a name, with named ones, with several
/// values of a key, and with values in pages of their own.
void write_lmdb(const Path& directory);
/// For fuzz_file: filter sets of each type and layout.
void write_filter_sets(const Path& directory);
/// For fuzz_file: indexes of rows with one row a key, or several.
void write_rows(const Path& directory);
/// For fuzz_touched, of what there is for fuzz_file.
void write_touched(const Path& corpus);

}  // namespace crivo::fuzz
