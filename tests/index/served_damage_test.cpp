// SPDX-License-Identifier: Apache-2.0
// Served stores whose bytes are damaged, with checksums that fit and that do not.

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>

#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "file/container.hpp"
#include "fuzz/mended_file.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"
#include "support/temp_directory.hpp"

namespace crivo::test {
namespace {

namespace fs = std::filesystem;

class ServedDamage : public testing::Test {
 protected:
  ServedDamage() {
    for (const auto& file :
         fs::directory_iterator(fs::path(CRIVO_SOURCE_DIR) / "formats/golden/served")) {
      fs::copy(file.path(), directory_.path());
    }
  }
  fs::path at(const std::string& name) const { return directory_.path() / name; }
  void write(const std::string& name, base::ByteView bytes) const {
    std::ofstream(at(name), std::ios::binary | std::ios::trunc) << base::as_text(bytes);
  }

  TempDirectory directory_;
};

/// How often a file is opened while `work` runs.
template <typename Work>
int opens_of(const fs::path& path, Work&& work) {
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  // Equal events that follow one another are one: each opening is told from the next by its end.
  EXPECT_GE(::inotify_add_watch(watch, path.c_str(), IN_OPEN | IN_CLOSE_NOWRITE), 0);
  work();
  int opens = 0;
  alignas(inotify_event) std::array<char, 4096> events{};
  for (ssize_t size = 0; (size = ::read(watch, events.data(), events.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      if ((event.mask & IN_OPEN) != 0) ++opens;
      at += static_cast<ssize_t>(sizeof event) + event.len;
    }
  }
  ::close(watch);
  return opens;
}

TEST_F(ServedDamage, IsReportedAtTheFirstOpening) {
  base::Bytes manifest = read_file(at("tokens12.crv"));
  manifest[4098] = std::byte{0xff};
  write("tokens12.crv", manifest);
  EXPECT_LE(
      opens_of(at("tokens12.crv"),
               [&] { error_of(ErrorKind::corrupt, [&] { Store::open(at("tokens12.crv")); }); }),
      3);
}

/// Whether two ways of asking give the same; Error where the store is refused.
void ask(const fs::path& path, OpenMode mode) {
  const Store store = Store::open(path, {mode});
  Store::Reader reader(store);
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("key " + std::to_string(i * 7));
  std::vector<std::string> records(keys.size());
  reader.find(keys, [&](std::size_t i, const Store::Answer& answer) {
    records[i] = std::to_string(static_cast<int>(answer.status)) + std::string(answer.record);
  });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Store::Answer answer = reader.find(keys[i]);
    ASSERT_EQ(std::to_string(static_cast<int>(answer.status)) + std::string(answer.record),
              records[i]);
  }
  store.for_each([](std::string_view, std::string_view) {});
}

/// The file of the same sections but for some of their bytes, with checksums that fit.
base::Bytes mutant(base::ByteView sound, std::mt19937_64& random) {
  fuzz::FileParts parts = fuzz::take_apart(sound);
  for (std::uint64_t left = 1 + random() % 3; left != 0; --left) {
    base::Bytes& bytes = parts.sections[random() % parts.sections.size()].bytes;
    if (bytes.empty()) continue;
    // What leads elsewhere stands mostly in front.
    const std::size_t at =
        random() % (random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size());
    switch (random() % 4) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1 << random() % 8);
        break;
      case 1:
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(8, bytes.size() - at),
                    static_cast<std::byte>(random() % 2 == 0 ? 0 : 255));
        break;
      default:
        bytes.resize(at);
    }
  }
  return fuzz::put_together(parts);
}

TEST_F(ServedDamage, MutantsAreRefusedOrOfOneMind) {
  const int turns = std::getenv("CRIVO_LONG") != nullptr ? 10'000 : 60 / kFewer;
  std::mt19937_64 random(8);
  std::clock_t longest = 0;
  int opened = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const std::string name = turn % 2 == 0 ? "tokens12" : "zstd";
    const base::Bytes manifest = read_file(at(name + ".crv"));
    const std::string part = name + "-" + std::to_string(turn / 2 % 2) + ".crv";
    const base::Bytes sound = read_file(at(part));
    if (turn % 3 == 0) {
      write(name + ".crv", mutant(manifest, random));
    } else {  // a part, which the manifest names by its digest
      const base::Bytes changed = mutant(sound, random);
      write(part, changed);
      fuzz::FileParts names = fuzz::take_apart(manifest);
      const auto digest = [](base::ByteView bytes) {
        return file::Container::open(bytes, "part", file::Loading::mapped).digest();
      };
      const file::Digest before = digest(sound);
      const file::Digest after = digest(changed);
      for (fuzz::FileSection& section : names.sections) {
        const auto found = std::ranges::search(section.bytes, before);
        if (found.empty()) continue;
        std::ranges::copy(after, found.begin());
        base::store_le(&*found.end(), std::uint64_t{changed.size()});
      }
      write(name + ".crv", fuzz::put_together(names));
    }
    const std::clock_t begin = std::clock();
    for (const OpenMode mode : {OpenMode::mapped, OpenMode::copy}) {
      for (const bool verifies : {false, true}) {
        try {
          if (verifies) {
            verify(at(name + ".crv"));
          } else {
            ask(at(name + ".crv"), mode);
          }
          ++opened;
        } catch (const Error& error) {
          ASSERT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new)
              << turn << ": " << error.what();
        }
      }
    }
    longest = std::max(longest, std::clock() - begin);
    write(name + ".crv", manifest);
    write(part, sound);
  }
  std::printf("%d mutants, %d of %d uses to their end, at most %.3f s of processor time each\n",
              turns, opened, 4 * turns, static_cast<double>(longest) / CLOCKS_PER_SEC);
  EXPECT_GT(opened, turns / 20);
}

}  // namespace
}  // namespace crivo::test
