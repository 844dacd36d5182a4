// SPDX-License-Identifier: Apache-2.0
/// Key files for tests, and the units that a ChunkReader cuts out of them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"
#include "input/hash_keys.hpp"
#include "input/units.hpp"
#include "stream/sorted_hashes.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::input {

using Strings = std::vector<std::string>;

/// A directory of input files.
class InputFiles {
 public:
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = directory_.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::filesystem::path& path() const noexcept { return directory_.path(); }

 private:
  test::TempDirectory directory_;
};

/// A key and where it stands.
struct Unit {
  std::string key;
  std::size_t file;
  std::uint64_t offset;

  friend auto operator<=>(const Unit&, const Unit&) = default;
};

/// The keys of an input in the order of their chunks, to take(key, file, offset); places are
/// checked where a chunk knows them.
template <typename Take>
void take_keys(const Strings& paths, const KeyFormat& format, ChunkOptions options, Take&& take) {
  ChunkReader reader(paths, UnitFraming::of_keys(format), options);
  std::uint64_t taken = 0;
  std::map<std::size_t, std::uint64_t> lines;
  Chunk chunk;
  while (reader.next(chunk)) {
    EXPECT_FALSE(chunk.bytes.empty());
    if (options.in_order) {
      EXPECT_EQ(chunk.ordinal, taken);
      EXPECT_EQ(chunk.start.line, lines[chunk.start.file]);
    }
    const std::uint64_t before = taken;
    for_each_key(chunk, format, [&](std::string_view key, std::uint64_t index, std::size_t offset) {
      const Place place = place_in(chunk, index, offset);
      take(key, place.file, place.offset);
      ++taken;
    });
    lines[chunk.start.file] += taken - before;
  }
}

inline std::vector<Unit> cut_keys(const Strings& paths, const KeyFormat& format,
                                  ChunkOptions options) {
  std::vector<Unit> units;
  take_keys(paths, format, options,
            [&](std::string_view key, std::size_t file, std::uint64_t offset) {
              units.push_back({std::string(key), file, offset});
            });
  return units;
}

inline Strings keys_of(const std::vector<Unit>& units) {
  Strings keys;
  for (const Unit& unit : units) keys.push_back(unit.key);
  return keys;
}

/// The units of `bytes` by a second, simple way of cutting.
inline std::vector<Unit> split(std::string_view bytes, char delimiter, std::size_t file = 0) {
  std::vector<Unit> units;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find(delimiter, begin), bytes.size());
    units.push_back({std::string(bytes.substr(begin, end - begin)), file, begin});
    begin = end + 1;
  }
  return units;
}

using test::error_of;

/// A key set that was read, whole.
struct HashedKeys {
  stream::SortedHashes hashes;
  std::uint64_t seed = 0;
  std::uint64_t collected = 0;
  std::uint64_t temp_bytes = 0;
  unsigned value_bits = 0;
  std::vector<Warning> warnings;
};

/// What read(use) has `use` called with at last.
template <typename Read>
HashedKeys hashed_by(Read&& read) {
  HashedKeys hashed;
  Progress progress;
  read([&](const KeySet& set) {
    const stream::KeySlice keys = set.keys.whole({2, progress});
    hashed = {stream::SortedHashes({keys.hashes.begin(), keys.hashes.end()},
                                   {keys.values.begin(), keys.values.end()}),
              set.seed,
              set.collected,
              set.temp_bytes,
              set.keys.value_bits(),
              set.warnings};
  });
  return hashed;
}

/// hash_keys with few words.
inline HashedKeys hash(const Strings& paths, unsigned threads = 1, const KeyFormat& format = {},
                       DuplicatePolicy duplicates = DuplicatePolicy::refuse,
                       const std::filesystem::path& temp_dir = "/tmp") {
  Progress progress;
  return hashed_by([&](const UseKeys& use) {
    hash_keys({paths, format}, {.duplicates = duplicates, .temp_dir = temp_dir},
              {threads, progress}, use);
  });
}

/// A named pipe that a thread of its own fills, piece by piece.
class FilledPipe {
 public:
  FilledPipe(const InputFiles& files, Strings pieces) : path_(files.path() / "filled-pipe") {
    ::unlink(path_.c_str());
    if (::mkfifo(path_.c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
    thread_ = std::thread([path = path_, pieces = std::move(pieces)] {
      sigset_t broken;  // whoever reads may stop before the end
      sigemptyset(&broken);
      sigaddset(&broken, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &broken, nullptr);
      const int fd = ::open(path.c_str(), O_WRONLY);
      for (std::string_view rest : pieces) {
        while (!rest.empty()) {
          const ssize_t put = ::write(fd, rest.data(), rest.size());
          if (put <= 0) break;
          rest.remove_prefix(static_cast<std::size_t>(put));
        }
      }
      ::close(fd);
    });
  }
  ~FilledPipe() { thread_.join(); }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  std::thread thread_;
};

/// A named pipe that the test itself writes to, whenever it likes.
class SlowPipe {
 public:
  explicit SlowPipe(const InputFiles& files) : path_(files.path() / "slow-pipe") {
    ::unlink(path_.c_str());
    if (::mkfifo(path_.c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
    file_ = ::open(path_.c_str(), O_RDWR);  // does not wait for the reader
  }
  ~SlowPipe() { ::close(file_); }
  SlowPipe(const SlowPipe&) = delete;
  SlowPipe& operator=(const SlowPipe&) = delete;

  void write(std::string_view bytes) const {
    EXPECT_EQ(::write(file_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  int file_;
};

}  // namespace crivo::input
