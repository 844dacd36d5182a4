// SPDX-License-Identifier: Apache-2.0
/// Every backend with every codec: all lookups answer alike, and whatever happens to a byte of any
/// file, no record is wrong, and verify tells what is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

namespace fs = std::filesystem;

/// The codec of ordered stores alone.
constexpr std::string_view kOfOrdered = "neighbours";

class Backends : public testing::TestWithParam<std::tuple<std::string_view, std::string_view>> {
 protected:
  /// Some empty, many alike, some longer than a slot's entry may be, some that do not compress.
  static Keys records_for(std::size_t count) {
    std::mt19937_64 random(1);
    Keys records;
    for (std::size_t i = 0; i < count; ++i) {
      std::string record = i % 19 == 0 ? "" : R"({"status":"ok","page":)" + std::to_string(i) + "}";
      if (i % 23 == 5) record += std::string(i * 7 % 900, 'x');
      if (i % 41 == 3) {
        for (int j = 0; j < 6000; ++j) record += static_cast<char>('!' + random() % 90);
      }
      records.push_back(std::move(record));
    }
    return records;
  }
  StoreOptions options() const {
    return {.backend = std::string(std::get<0>(GetParam())),
            .codec = std::string(std::get<1>(GetParam())),
            .ordered = std::get<1>(GetParam()) == kOfOrdered};
  }
  BuildSummary build(const Keys& keys, const Keys& records, unsigned threads = 2) const {
    BuildOptions build = Workshop::options(threads);
    build.replace = true;
    return build_store(shop_.pairs(keys, records), path_, options(), build);
  }

  const Workshop shop_;
  const fs::path path_ = shop_.at("store");
};

TEST_P(Backends, AnswerAlike) {
  for (const std::size_t n : {0, 1, 2, 13, 14, 15, 28, 29, 700}) {
    const Keys keys = numbered_keys(n);
    const Keys records = records_for(n);
    const BuildSummary summary = build(keys, records);
    EXPECT_EQ(*summary.find<std::string>("backend"), std::get<0>(GetParam()));
    std::uint64_t bytes = 0;
    for (const auto& file : fs::directory_iterator(path_)) bytes += fs::file_size(file);
    EXPECT_EQ(summary.bytes, bytes);
    EXPECT_EQ(inspect(path_).bytes, bytes);
    EXPECT_EQ(*inspect(path_).find<std::string>("backend"), std::get<0>(GetParam()));
    verify(path_);
    EXPECT_EQ(verify_keys(path_, shop_.pairs(keys, records)), n);

    const Store store = Store::open(path_);
    Store::Reader reader(store);
    Keys asked = numbered_keys(200, 1 << 20);  // absent
    asked.insert(asked.end(), keys.begin(), keys.end());
    std::ranges::shuffle(asked, std::mt19937_64(2));
    const std::vector<std::string_view> views(asked.begin(), asked.end());
    std::vector<std::string> answers;
    for (const std::string& key : asked) {
      const Store::Answer answer = reader.find(key);
      ASSERT_NE(answer.status, Store::Status::damaged);
      answers.push_back(answer.status == Store::Status::found ? "+" + std::string(answer.record)
                                                              : "-");
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Store::Answer answer = reader.find(keys[i], store.hash(keys[i]));
      ASSERT_EQ(answer.status, Store::Status::found) << i << " of " << n;
      EXPECT_EQ(answer.record, records[i]);
    }
    EXPECT_EQ(std::ranges::count(answers, "-"), 200);
    const auto check = [&](std::size_t i, const Store::Answer& answer) {
      const std::string text =
          answer.status == Store::Status::found ? "+" + std::string(answer.record) : "-";
      EXPECT_EQ(text, answers[i]) << i;
    };
    std::size_t next = 0;
    reader.find(views, [&](std::size_t i, const Store::Answer& answer) {
      EXPECT_EQ(i, next++);
      check(i, answer);
    });
    EXPECT_EQ(next, asked.size());
    std::vector<KeyHash> hashes;
    for (const std::string& key : asked) hashes.push_back(store.hash(key));
    reader.find(views, hashes, check);
    std::atomic<std::size_t> visited = 0;
    store.find_all(
        views,
        [&](std::size_t i, const Store::Answer& answer) {
          check(i, answer);
          ++visited;
        },
        3);
    EXPECT_EQ(visited, asked.size());
  }
}

TEST_P(Backends, KeysAreNumbersToo) {
  Keys keys;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 1; i < 256; ++i) {  // of 8 equal bytes, none of them NUL
    numbers.push_back(i * 0x0101010101010101);
    keys.emplace_back(8, static_cast<char>(i));
  }
  build(keys, Keys(keys.size(), "r"));
  const Store store = Store::open(path_);
  Store::Reader reader(store);
  std::size_t found = 0;
  reader.find(numbers, [&](std::size_t i, const Store::Answer& answer) {
    EXPECT_EQ(reader.find(numbers[i]).status, answer.status);
    found += answer.status == Store::Status::found ? 1 : 0;
  });
  EXPECT_EQ(found, keys.size());
}

TEST_P(Backends, SameBytesFromAnyThreads) {
  const Keys keys = numbered_keys(3000);
  const Keys records = records_for(3000);
  build(keys, records, 1);
  std::map<std::string, std::string> first;
  for (const auto& file : fs::directory_iterator(path_)) {
    first[file.path().filename()] = text_of(file.path());
  }
  build(keys, records, 3);
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(path_)) {
    EXPECT_TRUE(first.at(file.path().filename()) == text_of(file.path())) << file.path();
    ++files;
  }
  EXPECT_EQ(files, first.size());
}

/// Opens the store and asks it for every key. Nothing that is answered is wrong; the number of
/// records that are reported as damaged, and of those that are absent. None where it is refused.
struct Census {
  std::size_t damaged = 0;
  std::size_t lost = 0;
};
std::optional<Census> census(const fs::path& path, const Keys& keys, const Keys& records) {
  try {
    const Store store = Store::open(path);
    Store::Reader reader(store);
    Census counted;
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    reader.find(views, [&](std::size_t i, const Store::Answer& answer) {
      if (answer.status == Store::Status::found) {
        EXPECT_EQ(answer.record, records[i]);
      }
      counted.damaged += answer.status == Store::Status::damaged ? 1 : 0;
      counted.lost += answer.status == Store::Status::absent ? 1 : 0;
    });
    return counted;
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new ||
                error.kind() == ErrorKind::too_old)
        << error.what();
    return std::nullopt;
  }
}

bool passes_verify(const fs::path& path) {
  try {
    verify(path);
    return true;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    return false;
  }
}

TEST_P(Backends, NoDamageIsSilent) {
  const Keys keys = numbered_keys(600);
  const Keys records = records_for(600);
  build(keys, records);
  std::mt19937_64 random(3);
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(path_)) files.push_back(file.path());
  for (const fs::path& file : files) {
    const std::string sound = text_of(file);
    const auto put = [&](const std::string& bytes) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    };
    for (int turn = 0; turn < 60 / kFewer; ++turn) {
      std::string bytes = sound;
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      put(bytes);
      SCOPED_TRACE(file.filename().string() + ", byte " + std::to_string(at));
      (void)census(path_, keys, records);
      EXPECT_FALSE(passes_verify(path_));
    }
    for (int turn = 0; turn < 12; ++turn) {
      const std::size_t size = turn == 0 ? 0 : random() % sound.size();
      put(sound.substr(0, size));
      SCOPED_TRACE(file.filename().string() + ", cut to " + std::to_string(size));
      EXPECT_FALSE(census(path_, keys, records));
      EXPECT_FALSE(passes_verify(path_));
    }
    put(sound);
  }
  const std::optional<Census> counted = census(path_, keys, records);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->damaged + counted->lost, 0U);
}

/// A copy is whole, whatever becomes of the files.
TEST_P(Backends, ACopyOutlivesItsFiles) {
  const Keys keys = numbered_keys(300);
  const Keys records = records_for(300);
  build(keys, records);
  const Store store = Store::open(path_, {OpenMode::copy});
  for (const auto& file : fs::directory_iterator(path_)) fs::resize_file(file, 10);
  Store::Reader reader(store);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(reader.find(keys[i]).record, records[i]);
}

std::vector<std::tuple<std::string_view, std::string_view>> all() {
  std::vector<std::tuple<std::string_view, std::string_view>> found;
  for (const std::string_view backend : store_backends()) {
    for (const std::string_view codec : store_codecs())
      if (codec != kOfOrdered || backend == "flat") found.emplace_back(backend, codec);
  }
  return found;
}
INSTANTIATE_TEST_SUITE_P(All, Backends, testing::ValuesIn(all()), [](const auto& test) {
  return std::string(std::get<0>(test.param)) + "_" + std::string(std::get<1>(test.param));
});

}  // namespace
}  // namespace crivo::test
