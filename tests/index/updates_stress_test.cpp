// SPDX-License-Identifier: Apache-2.0
/// Writers that are killed, and readers beside writers, builds and compactions: no update that was
/// committed is lost, none is seen in part.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "index/updates_fixture.hpp"

namespace crivo::test {
namespace {

/// A writer, which compacts after every second commit or never, is killed at any moment: what it
/// has reported as done is there, and what it was at is there whole or not at all.
class KilledUpdates : public Updates, public testing::WithParamInterface<bool> {};

TEST_P(KilledUpdates, AreThereOrNot) {
  build();
  std::mt19937_64 random(5);
  const int kills = is_long() ? 200 : 12;
  int done = 0;
  for (int kill = 0; kill < kills; ++kill) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = start([&] {
      ::close(ends[0]);
      std::optional<Store::Writer> writer;
      for (int version = done + 1;; ++version) {
        if (!writer) writer.emplace(path_);
        for (const std::string& key : keys_) writer->set(key, std::to_string(version));
        writer->commit();
        if (::write(ends[1], &version, sizeof version) != sizeof version) ::_exit(2);
        if (!GetParam() || version % 2 != 0) continue;
        writer.reset();
        compact_store(path_, {.resources = {.threads = 1}});
      }
    });
    ::close(ends[1]);
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % (is_long() ? 200'000 : 60'000)));
    ::kill(child, SIGKILL);
    (void)result_of(child);
    for (int version = 0; ::read(ends[0], &version, sizeof version) == sizeof version;) {
      done = version;
    }
    ::close(ends[0]);
    const Store store = Store::open(path_);
    Store::Reader reader(store);
    const int found = std::stoi(record(reader, keys_[0]));
    for (const std::string& key : keys_) ASSERT_EQ(record(reader, key), std::to_string(found));
    ASSERT_TRUE(found == done || found == done + 1) << found << " of " << done;
    done = found;
    if (kill % 10 == 0) verify(path_);
  }
  verify(path_);
  std::printf("%d commits before %d kills\n", done, kills);
}

INSTANTIATE_TEST_SUITE_P(Compacting, KilledUpdates, testing::Bool());

/// Readers in processes of their own, a writer, and others that replace and compact the store: none
/// fails, and no reader sees a mixture. Records are "<build> <commit>", equal for all keys of a
/// moment.
TEST_F(Updates, UnderReadersAndReplacements) {
  build("0 0");
  const int readers = is_long() ? 8 : 3;
  const int commits = is_long() ? 2000 : 40;  // of 500 records each
  const int replacements = is_long() ? 1000 : 12;
  const fs::path stop = shop_.at("stop");
  std::vector<pid_t> children;
  children.reserve(static_cast<std::size_t>(readers));
  for (int r = 0; r < readers; ++r) {
    children.push_back(start([&, r] {
      const auto views = test::views(keys_);
      Store store = Store::open(path_);
      for (bool last = false; !last;) {
        last = fs::exists(stop);
        if (r % 2 == 0) {
          store.refresh();
        } else {
          store = Store::open(path_);
        }
        Store::Reader reader(store);
        const std::string first = record(reader, keys_[0]);
        reader.find(views, [&](std::size_t, const Store::Answer& answer) {
          if (answer.status != Store::Status::found || answer.record != first) {
            throw std::runtime_error("a mixture: " + std::string(answer.record) + " and " + first);
          }
        });
      }
    }));
  }
  const pid_t replacer = start([&] {
    const Workshop own;
    for (int i = 1; i <= replacements; ++i) {
      build_store(own.pairs(keys_, Keys(kKeys, std::to_string(i) + " 0")), path_, {},
                  Workshop::options());
    }
  });
  const pid_t compactor = start([&] {
    while (!fs::exists(stop)) compact_store(path_, {.resources = {.threads = 1}});
  });
  for (int commit = 1; commit <= commits; ++commit) {
    Store::Writer writer(path_);
    for (const std::string& key : keys_) writer.set(key, "w " + std::to_string(commit));
    writer.commit();
  }
  EXPECT_EQ(result_of(replacer), 0);
  std::ofstream(stop) << "now";
  EXPECT_EQ(result_of(compactor), 0);
  for (const pid_t child : children) EXPECT_EQ(result_of(child), 0);
  verify(path_);
}

/// Groups of keys that each change at once, keys that change alone, and compactions, under readers:
/// no group is a mixture, nothing goes back, and at last all is as it was written.
class Groups {
 public:
  Groups(fs::path path, const Keys& keys) : path_(std::move(path)), keys_(keys) {}

  std::size_t groups() const { return keys_.size() / kGroup; }
  std::span<const std::string> keys_of(std::size_t group) const {
    return std::span(keys_).subspan(group * kGroup, kGroup);
  }

  /// Until `is_over()`: what a reader process does.
  void read(const std::function<bool()>& is_over) const {
    std::vector<long> seen(groups(), 0);
    Store store = Store::open(path_);
    for (bool last = false; !last;) {
      last = is_over();
      store.refresh();
      Store::Reader reader(store);
      for (std::size_t group = 0; group < groups(); ++group) {
        const auto keys = keys_of(group);
        const long version = version_of(reader, keys[0]);
        if (version < seen[group]) throw std::runtime_error("a record went back");
        seen[group] = version;
        if (group == 0) continue;  // its keys change alone
        for (std::size_t i = 0; i < keys.size(); i += last ? 1 : 37) {
          if (version_of(reader, keys[i]) != version) throw std::runtime_error("a mixture");
        }
      }
    }
  }

  static long version_of(Store::Reader& reader, const std::string& key) {
    const Store::Answer answer = reader.find(key);
    if (answer.status != Store::Status::found) throw std::runtime_error("no record of " + key);
    return std::stol(std::string(answer.record));
  }

  static constexpr std::size_t kGroup = 1000;

 private:
  fs::path path_;
  const Keys& keys_;
};

TEST_F(Updates, UnderReadersAndCompactions) {
  const int steps = is_long() ? 1000 : 20;  // a commit of 1,000 and one of 1 each
  const int compacted = is_long() ? 10 : 8;
  const Keys keys = numbered_keys(Groups::kGroup * (is_long() ? 20 : 3));
  build_store(shop_.pairs(keys, Keys(keys.size(), "0")), path_, {}, Workshop::options());
  const Groups groups(path_, keys);
  const fs::path stop = shop_.at("stop");
  std::vector<pid_t> readers;
  for (int i = 0; i < (is_long() ? 8 : 2); ++i) {
    readers.push_back(start([&] { groups.read([&] { return fs::exists(stop); }); }));
  }
  std::vector<long> alone(Groups::kGroup, 0);
  std::vector<long> together(groups.groups(), 0);
  std::mt19937_64 random(7);
  for (int step = 1; step <= steps; ++step) {
    std::optional<Store::Writer> writer(std::in_place, path_);
    const std::size_t group = 1 + random() % (groups.groups() - 1);
    for (const std::string& key : groups.keys_of(group)) writer->set(key, std::to_string(step));
    writer->commit();
    together[group] = step;
    const std::size_t one = random() % Groups::kGroup;
    writer->set(keys[one], std::to_string(step));
    writer->commit();
    alone[one] = step;
    writer.reset();
    if (step % compacted == 0) compact_store(path_, {.resources = {.threads = 1}});
  }
  std::ofstream(stop) << "now";
  for (const pid_t reader : readers) EXPECT_EQ(result_of(reader), 0);
  const Store store = Store::open(path_);
  Store::Reader reader(store);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const long wanted = i < Groups::kGroup ? alone[i] : together[i / Groups::kGroup];
    ASSERT_EQ(Groups::version_of(reader, keys[i]), wanted) << keys[i];
  }
  verify(path_);
}

}  // namespace
}  // namespace crivo::test
