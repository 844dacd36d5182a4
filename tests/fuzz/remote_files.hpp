// SPDX-License-Identifier: Apache-2.0
/// The sound files that fuzz_remote changes: the same whenever they are made, and long, so that
/// what lookups touch is not read when they are opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "fuzz/seeds.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::fuzz {

/// A file, and others beside it.
struct RemoteFiles {
  std::string first;
  std::map<std::string, base::Bytes> all;
};

/// Makes one of the sets: 0 to kRemoteSets - 1.
inline constexpr unsigned kRemoteSets = 8;
class RemoteSet {
 public:
  explicit RemoteSet(unsigned which) {
    switch (which) {
      case 0:
        lines(9000, [](std::uint64_t i) { return key(i) + '\t' + std::to_string(base::mix64(i)); });
        build_map(input(), output_, {.values = true, .signature_bits = 8}, build_options());
        break;
      case 1:
        lines(6000, [](std::uint64_t i) { return key(i) + '\t' + std::to_string(i * i); });
        build_dictionary(input(), output_, {.values = true, .hashed = true}, build_options());
        break;
      case 2:
        build_exact_set();
        break;
      case 3:
      case 4:
        build_chain_of_rows(which == 4);
        break;
      case 5:
        build_records({.backend = "flat", .codec = "none"});
        break;
      case 6:
        build_records({.backend = "flat", .codec = "zstd", .ordered = true});
        break;
      case 7:
        build_records({.backend = "flat", .codec = "neighbours", .ordered = true});
    }
    for (const auto& file : std::filesystem::directory_iterator(output_.parent_path())) {
      if (file.is_regular_file() && file.path() != lines_)
        files_.all[file.path().filename()] = test::read_file(file.path());
    }
    files_.first = output_.filename();
  }

  const RemoteFiles& files() const { return files_; }

 private:
  template <typename Line>
  void lines(std::uint64_t count, Line&& line) {
    std::ofstream out(lines_);
    for (std::uint64_t i = 0; i < count; ++i) out << line(i) << '\n';
  }
  KeyInput input() const { return {{lines_.string()}, {}}; }

  void build_records(const StoreOptions& store) {
    lines(3000, [](std::uint64_t i) {
      return key(i) + "\t" + std::string(20 + i % 20, static_cast<char>('a' + i % 26)) +
             std::to_string(base::mix64(i));
    });
    build_store(input(), directory_.path() / "store", store, build_options());
    output_ = directory_.path() / "store" / "index.crv";
  }

  void build_exact_set() {
    constexpr std::uint64_t kMembers = 30'000;
    lines(kMembers, key);
    const std::filesystem::path universe = directory_.path() / "universe";
    {
      std::ofstream out(universe);
      for (std::uint64_t i = 0; i < 3 * kMembers; ++i) out << key(i) << '\n';
    }
    build_exact(input(), {{universe.string()}, {}}, output_, {}, build_options());
    std::filesystem::remove(universe);
  }

  /// A layer of many rows, and a short one that came later.
  void build_chain_of_rows(bool many) {
    const RowsOptions options{.signature_bits = 32, .many = many};
    const auto place = [](const std::string& file) {
      return [file](std::uint64_t i) { return key(i) + '\t' + file + '\t' + std::to_string(i); };
    };
    lines(18'000, place("one"));
    const std::filesystem::path base = directory_.path() / "base.rows";
    build_rows(input(), base, options, build_options());
    lines(30, place("two"));
    add_rows(base, input(), output_, options, {}, build_options());
  }

  test::TempDirectory directory_;
  std::filesystem::path lines_ = directory_.path() / "lines";
  std::filesystem::path output_ = directory_.path() / "output";
  RemoteFiles files_;
};

}  // namespace crivo::fuzz
