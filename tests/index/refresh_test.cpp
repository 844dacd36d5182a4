// SPDX-License-Identifier: Apache-2.0
/// Store::refresh(): generations of a store follow one another under its readers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "crivo/build/build.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"
#include "support/stores.hpp"

namespace crivo {
namespace {

using test::error_of;
using test::Keys;
using test::numbered_keys;
using test::Workshop;

class Refresh : public testing::TestWithParam<OpenMode> {
 protected:
  void build(const std::string& version, const std::string& name = "store") const {
    BuildOptions options = Workshop::options();
    options.replace = true;
    build_store(shop_.pairs(keys_, Keys(keys_.size(), version)), shop_.at(name), {}, options);
  }
  Store open() const { return Store::open(store_, {GetParam()}); }
  std::string record(Store::Reader& reader, std::size_t key = 0) const {
    const Store::Answer answer = reader.find(keys_[key]);
    return answer.status == Store::Status::found ? std::string(answer.record) : "none";
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(200);
  const std::filesystem::path store_ = shop_.at("store");
};

TEST_P(Refresh, OldViewsStayValid) {
  build("1");
  Store store = open();
  EXPECT_FALSE(store.refresh());
  Store::Reader first(store);
  build("2");
  Store::Reader still_first(store);
  EXPECT_TRUE(store.refresh());
  EXPECT_FALSE(store.refresh());
  Store::Reader second(store);
  build("3");
  EXPECT_EQ(record(first), "1");
  EXPECT_EQ(record(still_first, 7), "1");
  EXPECT_EQ(record(second), "2");
  EXPECT_TRUE(store.refresh());
  EXPECT_EQ(record(first, 9), "1");
  Store::Reader third(store);
  EXPECT_EQ(record(third), "3");
}

/// A build of the same records is another generation all the same.
TEST_P(Refresh, AnEqualGeneration) {
  build("1");
  Store store = open();
  build("1");
  EXPECT_TRUE(store.refresh());
  Store::Reader reader(store);
  EXPECT_EQ(record(reader), "1");
}

TEST_P(Refresh, OfADirectoryThatIsMoved) {
  build("1");
  build("2", "next");
  Store store = open();
  std::filesystem::rename(store_, shop_.at("old"));
  EXPECT_FALSE(store.refresh());
  std::filesystem::rename(shop_.at("next"), store_);
  EXPECT_TRUE(store.refresh());
  Store::Reader reader(store);
  EXPECT_EQ(record(reader), "2");
}

TEST_P(Refresh, OutlivesADamagedGeneration) {
  build("1");
  Store store = open();
  build("2");
  const auto index = store_ / "index.crv";
  std::filesystem::resize_file(index, std::filesystem::file_size(index) / 2);
  error_of(ErrorKind::corrupt, [&] { (void)store.refresh(); });
  Store::Reader reader(store);
  EXPECT_EQ(record(reader), "1");
  build("3");
  EXPECT_TRUE(store.refresh());
  Store::Reader third(store);
  EXPECT_EQ(record(third), "3");
}

/// A reader outlives the store it was made of.
TEST_P(Refresh, AReaderByItself) {
  build("1");
  auto store = std::make_unique<Store>(open());
  Store::Reader reader(*store);
  store.reset();
  EXPECT_EQ(record(reader, 3), "1");
}

INSTANTIATE_TEST_SUITE_P(Modes, Refresh,
                         testing::Values(OpenMode::mapped, OpenMode::preload, OpenMode::copy));

/// Another process replaces the store all the time: every view is of one build, and opens and
/// refreshes do not fail.
TEST(Replacements, UnderReaders) {
  const Workshop shop;
  const Keys keys = numbered_keys(100);
  const auto build = [&](int version) {
    BuildOptions options = Workshop::options();
    options.replace = true;
    build_store(shop.pairs(keys, Keys(keys.size(), std::to_string(version))), shop.at("store"), {},
                options);
  };
  build(0);
  constexpr int kReplacements = 40;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      for (int i = 1; i <= kReplacements; ++i) build(i);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  Store store = Store::open(shop.at("store"));
  int last = 0;
  int seen = 1;
  int status = 0;
  const auto look = [&](const Store& opened) {
    Store::Reader reader(opened);
    const std::string version(reader.find(keys.front()).record);
    for (const std::string& key : keys) EXPECT_EQ(reader.find(key).record, version);
    EXPECT_GE(std::stoi(version), last);
    return std::stoi(version);
  };
  for (bool done = false; !done;) {
    done = ::waitpid(child, &status, WNOHANG) == child;
    if (store.refresh()) {
      last = look(store);
      ++seen;
    }
    (void)look(Store::open(shop.at("store")));
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(seen, 1);
  if (store.refresh()) last = look(store);
  EXPECT_EQ(last, kReplacements);
}

}  // namespace
}  // namespace crivo
