// SPDX-License-Identifier: Apache-2.0
/// Shared<T>: threads look up while one goes over to what has taken a file's place.
#include "crivo/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/exact.hpp"
#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

namespace fs = std::filesystem;

const Workshop& shop() {
  static const Workshop workshop;
  return workshop;
}
const Keys& keys() {
  static const Keys all = numbered_keys(100);
  return all;
}
Keys records(int version) {
  return Keys(keys().size(), std::to_string(version));
}

/// Of each kind: an index of `keys` of which every key has the answer `version`, what one thread
/// asks it, and what that gives.
template <typename T>
struct Kind;

template <>
struct Kind<Mphf> {
  // The number of keys tells versions apart.
  static void build(const fs::path& path, int version) {
    build_mphf(shop().input(numbered_keys(100 + static_cast<std::uint64_t>(version))), path, {},
               Workshop::options(1));
  }
  struct Asking {
    explicit Asking(const Mphf& opened) : mphf(&opened) {}
    int version() const {
      const std::uint64_t rank = mphf->lookup(keys()[7]);
      EXPECT_LT(rank, mphf->size());
      return static_cast<int>(mphf->size()) - 100;
    }
    const Mphf* mphf;
  };
};

template <>
struct Kind<Filter> {
  static void build(const fs::path& path, int version) {
    build_filter(shop().input(numbered_keys(100 + static_cast<std::uint64_t>(version))), path, {},
                 Workshop::options(1));
  }
  struct Asking {
    explicit Asking(const Filter& opened) : filter(&opened) {}
    int version() const {
      EXPECT_TRUE(filter->contains(keys()[7]));
      return static_cast<int>(filter->size()) - 100;
    }
    const Filter* filter;
  };
};

template <>
struct Kind<Map> {
  static void build(const fs::path& path, int version) {
    MapOptions options;
    options.values = true;
    build_map(shop().pairs(keys(), records(version)), path, options, Workshop::options(1));
  }
  struct Asking {
    explicit Asking(const Map& opened) : map(&opened) {}
    int version() const { return static_cast<int>(map->lookup(keys()[7]).value); }
    const Map* map;
  };
};

/// A chain, which is made again with each version: of its deltas the last has the members of it.
template <>
struct Kind<Exact> {
  static void build(const fs::path& path, int version) {
    const fs::path base = path.string() + "-base";
    const KeyInput universe = shop().input(keys(), "universe");
    BuildOptions options = Workshop::options(1);
    options.replace = true;
    build_exact(members(0), universe, base, {}, options);
    const fs::path delta = path.string() + "-delta" + std::to_string(version);
    build_delta(base, members(version), universe, delta, {}, options);
    apply_deltas(base, std::vector{delta}, path, {.replace = true});
  }
  struct Asking {
    explicit Asking(const Exact& opened) : exact(&opened) {}
    int version() const {
      EXPECT_EQ(exact->contains(keys()[7]), ExactAnswer::member);
      return static_cast<int>(exact->size()) - 10;
    }
    const Exact* exact;
  };

 private:
  static KeyInput members(int version) {
    return shop().input(Keys(keys().begin(), keys().begin() + 10 + version), "members");
  }
};

template <>
struct Kind<Store> {
  static void build(const fs::path& path, int version) {
    build_store(shop().pairs(keys(), records(version)), path, {}, Workshop::options(1));
  }
  struct Asking {
    explicit Asking(const Store& opened) : reader(opened) {}
    int version() { return std::stoi(std::string(reader.find(keys()[7]).record)); }
    Store::Reader reader;
  };
};

template <typename T>
class SharedKind : public testing::Test {
 protected:
  using Asking = typename Kind<T>::Asking;
  static void build(const fs::path& path, int version) { Kind<T>::build(path, version); }
  static int version(const T& opened) { return Asking(opened).version(); }

  /// Of each test and kind another.
  static fs::path own_path() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "-" + test->name();
    std::ranges::replace(name, '/', '-');
    return shop().at(name);
  }

  const fs::path path_ = own_path();
};

using Kinds = testing::Types<Mphf, Filter, Map, Exact, Store>;
TYPED_TEST_SUITE(SharedKind, Kinds);

TYPED_TEST(SharedKind, GoesOverWhenItIsTold) {
  error_of(ErrorKind::io, [&] { Shared<TypeParam>{this->path_}; });
  this->build(this->path_, 1);
  for (const OpenMode mode : {OpenMode::mapped, OpenMode::copy}) {
    Shared<TypeParam> shared(this->path_, {mode});
    const int first = this->version(*shared.snapshot());
    typename Shared<TypeParam>::Pin pin(shared);
    const typename Shared<TypeParam>::Pin still(shared);
    EXPECT_FALSE(shared.refresh());
    EXPECT_FALSE(pin.follow());
    this->build(this->path_, first + 1);
    EXPECT_FALSE(pin.follow());
    EXPECT_TRUE(shared.refresh());
    EXPECT_FALSE(shared.refresh());
    EXPECT_EQ(this->version(*shared.snapshot()), first + 1);
    EXPECT_EQ(this->version(*pin), first);
    EXPECT_TRUE(pin.follow());
    EXPECT_FALSE(pin.follow());
    EXPECT_EQ(this->version(*pin), first + 1);
    EXPECT_EQ(this->version(*still), first);
  }
}

TYPED_TEST(SharedKind, StaysWhatItIsWhereTheNewerIsDamagedOrGone) {
  this->build(this->path_, 1);
  Shared<TypeParam> shared(this->path_);
  const fs::path file = fs::is_directory(this->path_) ? this->path_ / "index.crv" : this->path_;
  fs::remove(file);
  EXPECT_FALSE(shared.refresh());
  std::ofstream(file) << "no index at all";
  error_of(ErrorKind::corrupt, [&] { (void)shared.refresh(); });
  EXPECT_EQ(this->version(*shared.snapshot()), 1);
  this->build(this->path_, 2);
  EXPECT_TRUE(shared.refresh());
  EXPECT_EQ(this->version(*shared.snapshot()), 2);
}

/// Versions ascend: every answer is of the version that the thread saw last, or of a later one.
TYPED_TEST(SharedKind, IsAskedByThreadsWhileOneRefreshes) {
  this->build(this->path_, 1);
  Shared<TypeParam> shared(this->path_);
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      typename Shared<TypeParam>::Pin pin(shared);
      typename Kind<TypeParam>::Asking asking(*pin);
      int last = 1;
      for (bool is_last = false; !is_last;) {
        is_last = ends;
        if (pin.follow()) asking = typename Kind<TypeParam>::Asking(*pin);
        int now = asking.version();
        EXPECT_GE(now, last);
        last = now;
        if (i == 0) {
          const auto snapshot = shared.snapshot();
          now = this->version(*snapshot);
          EXPECT_GE(now, last);
        }
      }
      EXPECT_EQ(last, 8);
    });
  }
  for (int version = 2; version <= 8; ++version) {
    this->build(this->path_, version);
    EXPECT_TRUE(shared.refresh());
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(SharedStore, ThreadsSeeUpdates) {
  const fs::path path = shop().at("updated");
  Kind<Store>::build(path, 1);
  Shared<Store> shared(path);
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      Shared<Store>::Pin pin(shared);
      Store::Reader reader(*pin);
      int last = 1;
      for (bool is_last = false; !is_last;) {
        is_last = ends;
        if (pin.follow()) reader = Store::Reader(*pin);
        const int now = std::stoi(std::string(reader.find(keys()[3]).record));
        EXPECT_EQ(std::stoi(std::string(reader.find(keys()[4]).record)), now);
        EXPECT_GE(now, last);
        last = now;
      }
      EXPECT_EQ(last, 10);
    });
  }
  for (int version = 2; version <= 10; ++version) {
    Store::Writer writer(path);
    for (const std::string& key : keys()) writer.set(key, std::to_string(version));
    writer.commit();
    EXPECT_TRUE(shared.refresh());
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace crivo::test
