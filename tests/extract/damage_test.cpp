// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes of a collection are, it is read to its end, and what came before the damage is
// counted.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "crivo/extract.hpp"
#include "crivo/read_keys.hpp"
#include "support/temp_directory.hpp"

namespace crivo {
namespace {

constexpr int kRecords = 8;

std::string warc_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i) {
    const std::string content(static_cast<std::size_t>(20 * i), 'c');
    file += "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://host/" + std::to_string(i) +
            "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content +
            "\r\n\r\n";
  }
  return file;
}

std::string arc_file() {
  const std::string legend =
      "1 0 Someone\nURL IP-address Archive-date Content-type Archive-length\n\n";
  std::string file = "filedesc://a.arc 0.0.0.0 20010203040506 text/plain " +
                     std::to_string(legend.size()) + "\n" + legend + "\n";
  for (int i = 0; i < kRecords; ++i) {
    const std::string content(static_cast<std::size_t>(20 * i), 'c');
    file += "http://host/" + std::to_string(i) + " 192.0.2.1 20010203040506 text/html " +
            std::to_string(content.size()) + "\n" + content + "\n";
  }
  return file;
}

std::string cdx_file() {
  std::string file = " CDX N b a\n";
  for (int i = 0; i < kRecords; ++i) {
    const std::string url = "http://host/" + std::to_string(i);
    file += i % 2 == 0 ? "host)/ 20010203040506 " + url + "\n"
                       : "host)/ 20010203040506 {\"url\": \"" + url + "\"}\n";
  }
  return file;
}

struct Found {
  std::vector<std::string> keys;
  ExtractSummary summary;
};

Found found_in(const test::TempDirectory& directory, std::string_view bytes, Collection from) {
  const std::filesystem::path path = directory.path() / "file";
  std::ofstream(path, std::ios::binary) << bytes;
  Found found;
  ExtractOptions options{.what = Extract::urls, .from = from};
  Progress progress;
  read_keys(extracted_keys({path.string()}, options, found.summary), progress,
            [&](const KeyBlock& block) {
              found.keys.insert(found.keys.end(), block.keys.begin(), block.keys.end());
            });
  return found;
}

class Damaged : public testing::TestWithParam<std::pair<Collection, std::string>> {};

TEST_P(Damaged, IsReadToItsEnd) {
  const auto& [from, whole] = GetParam();
  const test::TempDirectory directory;
  const Found sound = found_in(directory, whole, Collection::detected);
  ASSERT_EQ(sound.keys.size(), kRecords);
  ASSERT_EQ(sound.summary.bad_records + sound.summary.cut_files, 0U);
  std::mt19937 random(7);
  const int damages = std::getenv("CRIVO_LONG") != nullptr ? 10'000 : 300;
  for (int i = 0; i < damages; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    switch (random() % 4) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1:
        damaged.resize(at);
        break;
      case 2:
        damaged.erase(at, random() % 64);
        break;
      default:
        damaged.insert(at, whole.substr(random() % whole.size(), random() % 64));
    }
    const Found found = found_in(directory, damaged, from);
    const std::size_t equal = static_cast<std::size_t>(
        std::mismatch(whole.begin(),
                      whole.begin() + static_cast<std::ptrdiff_t>(std::min(at, damaged.size())),
                      damaged.begin())
            .first -
        whole.begin());
    // Records that end before the damage give their keys, first and in order.
    std::size_t before = 0;
    while (before < sound.keys.size() && whole.find(sound.keys[before]) + 200 < equal) ++before;
    ASSERT_GE(found.keys.size(), before);
    for (std::size_t k = 0; k < before; ++k) ASSERT_EQ(found.keys[k], sound.keys[k]);
    ASSERT_EQ(found.summary.keys, found.keys.size());
    ASSERT_LE(found.keys.size(), whole.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, Damaged,
                         testing::Values(std::pair(Collection::warc, warc_file()),
                                         std::pair(Collection::arc, arc_file()),
                                         std::pair(Collection::cdx, cdx_file())));

}  // namespace
}  // namespace crivo
