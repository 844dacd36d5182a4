// SPDX-License-Identifier: Apache-2.0
/// Store::Writer: records change under their readers, and no update that was committed is lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "index/updates_fixture.hpp"
#include "lookup/store_files.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

using UpdatedStore = EveryStore;

TEST_P(UpdatedStore, AreSeenByReadersMadeAfterThem) {
  build();
  Store store = Store::open(path_);
  Store::Reader before(store);
  Store::Writer writer(path_);
  writer.set(keys_[1], "one");
  writer.set(keys_[2], std::string(100'000, 'x'));
  EXPECT_TRUE(writer.remove(keys_[3]));
  EXPECT_FALSE(writer.remove(keys_[3]));
  EXPECT_FALSE(writer.remove("none of them"));
  EXPECT_EQ(now(1), "0");
  writer.commit();
  EXPECT_EQ(record(before, keys_[1]), "0");
  EXPECT_TRUE(store.refresh());
  EXPECT_FALSE(store.refresh());
  Store::Reader reader(store);
  EXPECT_EQ(record(reader, keys_[1]), "one");
  EXPECT_EQ(record(reader, keys_[2]), std::string(100'000, 'x'));
  EXPECT_EQ(record(reader, keys_[3]), "-");
  EXPECT_EQ(record(reader, keys_[4]), "0");
  EXPECT_EQ(store.size(), kKeys - 1);
  writer.set(keys_[1], "");
  writer.set(keys_[3], "again");
  writer.commit();
  EXPECT_EQ(record(reader, keys_[1]), "one");
  EXPECT_EQ(record(reader, keys_[3]), "-");
  EXPECT_TRUE(store.refresh());
  Store::Reader last(store);
  EXPECT_EQ(record(last, keys_[1]), "");
  EXPECT_EQ(record(last, keys_[3]), "again");
  EXPECT_EQ(record(before, keys_[1]), "0");
  EXPECT_EQ(store.size(), kKeys);
  verify(path_);
  const FileInfo info = inspect(path_);
  EXPECT_EQ(*info.find<std::uint64_t>("changed_records"), 3U);
  EXPECT_EQ(*info.find<std::uint64_t>("removed_records"), 0U);
}

TEST_P(UpdatedStore, AreNotSeenByCopiesOfEarlierReaders) {
  build();
  Store::Writer writer(path_);
  writer.set(keys_[1], "1");
  writer.commit();
  auto store = std::make_unique<const Store>(Store::open(path_));
  Store::Reader reader(*store);
  writer.set(keys_[1], "2");
  writer.commit();
  Store::Reader newer(*store);
  store.reset();
  Store::Reader copy(reader);
  Store::Reader of_a_copy(copy);
  EXPECT_EQ(record(newer, keys_[1]), "2");
  for (Store::Reader* const one : {&reader, &copy, &of_a_copy}) {
    EXPECT_EQ(record(*one, keys_[1]), "1");
    EXPECT_EQ(record(*one, keys_[2]), "0");
    one->find(views(keys_), [&](std::size_t i, const Store::Answer& answer) {
      EXPECT_EQ(answer.record, i == 1 ? "1" : "0");
    });
  }
}

TEST_P(UpdatedStore, AreNotSeenByTheRecordsOfAnEarlierCommit) {
  build();
  Store::Writer writer(path_);
  writer.remove(keys_[1]);
  writer.commit();
  const index::StoreFiles files = index::StoreFiles::open(path_, file::Loading::mapped);
  const auto before = files.records();
  for (const std::string& key : keys_) writer.remove(key);
  writer.commit();
  EXPECT_EQ(before->updates().removed, 1U);
  EXPECT_EQ(files.records()->updates().removed, kKeys);
  const auto found = [](const records::RecordFile& records, std::uint64_t rank,
                        std::string_view key) {
    return records.reader()->read(rank, key).outcome == records::Outcome::found;
  };
  Progress progress;
  std::size_t visited = 0;
  before->verify({1, progress}, [&](std::uint64_t rank, std::string_view key, std::string_view) {
    EXPECT_NE(key, keys_[1]);
    EXPECT_TRUE(found(*before, rank, key));
    EXPECT_FALSE(found(*files.records(), rank, key));
    ++visited;
  });
  EXPECT_EQ(visited, kKeys - 1);
}

TEST_P(UpdatedStore, AreSeenByEveryKindOfLookupAndThread) {
  build();
  std::map<std::string, std::string> wanted;
  for (const std::string& key : keys_) wanted[key] = "0";
  {
    Store::Writer writer(path_);
    for (std::size_t i = 0; i < kKeys; i += 3) {
      if (i % 2 == 0) {
        writer.set(keys_[i], wanted[keys_[i]] = "changed " + std::to_string(i));
      } else {
        writer.remove(keys_[i]);
        wanted.erase(keys_[i]);
      }
    }
    writer.commit();
  }
  for (const OpenMode mode : {OpenMode::mapped, OpenMode::copy}) {
    const Store store = Store::open(path_, {mode});
    EXPECT_EQ(store.size(), wanted.size());
    const auto views = test::views(keys_);
    const auto check = [&](std::size_t i, const Store::Answer& answer) {
      const auto record = wanted.find(keys_[i]);
      EXPECT_EQ(answer.status,
                record == wanted.end() ? Store::Status::absent : Store::Status::found);
      if (record != wanted.end()) {
        EXPECT_EQ(answer.record, record->second);
      }
    };
    Store::Reader reader(store);
    reader.find(views, check);
    for (std::size_t i = 0; i < kKeys; ++i) check(i, reader.find(keys_[i]));
    store.find_all(views, check, 2);
    std::map<std::string, std::string> dumped;
    store.for_each(
        [&](std::string_view key, std::string_view record) { dumped.emplace(key, record); });
    EXPECT_EQ(dumped, wanted);
  }
  Keys held;
  Keys records;
  for (const auto& [key, record] : wanted) {
    held.push_back(key);
    records.push_back(record);
  }
  EXPECT_EQ(verify_keys(path_, shop_.pairs(held, records)), held.size());
  records[5] += "!";
  error_of(ErrorKind::mismatch, [&] { (void)verify_keys(path_, shop_.pairs(held, records)); });
}

TEST_P(UpdatedStore, AreAllOrNone) {
  build();
  {
    Store::Writer writer(path_);
    writer.set(keys_[0], "1");
    writer.set(keys_[1], "1");
    writer.commit();
    writer.set(keys_[2], "dropped");
  }
  EXPECT_EQ(now(0), "1");
  EXPECT_EQ(now(1), "1");
  EXPECT_EQ(now(2), "0");
  Keys given(keys_.begin(), keys_.begin() + 3);
  given.emplace_back("new");
  const std::string error = error_of(ErrorKind::bad_input, [&] {
    (void)set_records(path_, shop_.pairs(given, Keys(4, "none of these")),
                      {.keys = SetKeys::existing});
  });
  EXPECT_NE(error.find("\"new\""), std::string::npos) << error;
  EXPECT_EQ(now(0), "1");
  EXPECT_EQ(set_records(path_, shop_.pairs(keys_, Keys(kKeys, "all"))).records, kKeys);
  EXPECT_EQ(now(0), "all");
  const StoreEdit removed = remove_records(path_, shop_.input(given));
  EXPECT_EQ(removed.absent, 1U);
  EXPECT_EQ(removed.records, kKeys - 3);
}

TEST_P(UpdatedStore, NeedsToBeThere) {
  error_of(ErrorKind::io, [&] { const Store::Writer writer(shop_.at("none")); });
}

/// A build takes updates away, also one of the same bytes; who reads them goes on.
TEST_P(UpdatedStore, GoWithTheirGeneration) {
  build();
  for (const char* version : {"0", "next"}) {
    set_records(path_, shop_.pairs(keys_, Keys(kKeys, "changed")));
    Store store = Store::open(path_);
    Store::Reader reader(store);
    build(version);
    EXPECT_EQ(now(1), version);
    EXPECT_EQ(record(reader, keys_[1]), "changed");
    EXPECT_TRUE(store.refresh());
    EXPECT_TRUE(updates().empty());
    Store::Reader next(store);
    EXPECT_EQ(record(next, keys_[1]), version);
  }
}

/// A compaction writes what a build of the present records does, and readers go on.
TEST_P(UpdatedStore, AreFolded) {
  build();
  EXPECT_FALSE(compact_store(path_).is_compacted);
  Keys texts(kKeys, "0");
  for (std::size_t i = 0; i < kKeys; i += 3) texts[i] = "changed " + std::to_string(i);
  set_records(path_, shop_.pairs(keys_, texts));
  {
    Store::Writer writer(path_);
    EXPECT_TRUE(writer.remove(keys_.back()));
    writer.commit();
  }
  Store store = Store::open(path_);
  Store::Reader before(store);
  const std::uint64_t bytes = inspect(path_).bytes;
  const StoreCompaction done = compact_store(path_, {.above = 0.01});
  EXPECT_TRUE(done.is_compacted);
  EXPECT_EQ(done.records, kKeys - 1);
  EXPECT_EQ(done.bytes, inspect(path_).bytes);
  EXPECT_LT(done.bytes, done.bytes_before);
  EXPECT_LE(bytes, done.bytes_before);
  EXPECT_TRUE(updates().empty());
  EXPECT_EQ(record(before, keys_[3]), "changed 3");
  EXPECT_TRUE(store.refresh());
  Store::Reader after(store);
  EXPECT_EQ(record(after, keys_[3]), "changed 3");
  EXPECT_EQ(record(after, keys_[4]), "0");
  EXPECT_EQ(record(after, keys_.back()), "-");
  {
    Store::Writer writer(path_);
    EXPECT_EQ(writer.set(keys_.back(), "again"), Store::Writer::Outcome::added);
  }
  const fs::path fresh = shop_.at("fresh");
  build_store(
      shop_.pairs(Keys(keys_.begin(), keys_.end() - 1), Keys(texts.begin(), texts.end() - 1)),
      fresh, options_, Workshop::options());
  for (const auto& file : fs::directory_iterator(fresh)) {
    EXPECT_EQ(read_file(path_ / file.path().filename()), read_file(file.path())) << file.path();
  }
}

TEST_P(UpdatedStore, AreFoldedOnlyAboveAShare) {
  build();
  set_records(path_, shop_.pairs(keys_, Keys(kKeys, "changed")));
  const StoreCompaction kept = compact_store(path_, {.above = 1e6});
  EXPECT_FALSE(kept.is_compacted);
  EXPECT_EQ(kept.bytes, kept.bytes_before);
  EXPECT_FALSE(updates().empty());
  EXPECT_EQ(now(7), "changed");
}

TEST_P(UpdatedStore, OfDamagedStoresAreNotFolded) {
  options_.codec = "none";
  build(std::string(40, 'r'));
  set_records(path_, shop_.pairs(Keys(keys_.begin(), keys_.begin() + 9), Keys(9, "changed")));
  fs::path data;
  for (const auto& file : fs::directory_iterator(path_)) {
    if (file.path().filename().string().starts_with("data-")) data = file.path();
  }
  const fs::path sound = shop_.at("sound");
  fs::copy_file(data, sound);
  const std::string bytes(base::as_text(read_file(data)));
  std::fstream(data, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(bytes.find(std::string(40, 'r'))))
      .put('\0');
  error_of(ErrorKind::corrupt, [&] { compact_store(path_); });
  fs::rename(sound, data);
  EXPECT_EQ(now(3), "changed");
  EXPECT_TRUE(compact_store(path_).is_compacted);
}

/// A reader that opens a generation just as one of the same bytes takes its place may have the
/// updates of the old one, and sees those of the new one all the same.
TEST_P(UpdatedStore, OfTheSameNameAreSeen) {
  build();
  for (const char* text : {"1", "0"}) set_records(path_, shop_.pairs(keys_, Keys(kKeys, text)));
  const fs::path name = updates();
  const fs::path kept = shop_.at("kept");
  fs::create_hard_link(name, kept);
  EXPECT_TRUE(compact_store(path_).is_compacted);
  fs::rename(kept, name);
  Store store = Store::open(path_);
  fs::remove(name);
  set_records(path_, shop_.pairs(keys_, Keys(kKeys, "next")));
  EXPECT_EQ(updates(), name);
  EXPECT_TRUE(store.refresh());
  Store::Reader reader(store);
  EXPECT_EQ(record(reader, keys_[0]), "next");
}

TEST_P(UpdatedStore, WritersAndBuildsWaitForOneAnother) {
  build();
  std::optional<Store::Writer> writer(std::in_place, path_);
  writer->set(keys_[0], "first");
  const pid_t second = start([&] {
    Store::Writer other(path_);
    other.set(keys_[0], "second");
    other.commit();
  });
  const pid_t builder = start([&] { build("built"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(now(0), "0");
  writer->commit();
  EXPECT_EQ(now(0), "first");
  writer.reset();
  EXPECT_EQ(result_of(second), 0);
  EXPECT_EQ(result_of(builder), 0);
  const std::string last = now(0);
  EXPECT_TRUE(last == "second" || last == "built") << last;
}

INSTANTIATE_TEST_SUITE_P(Of, UpdatedStore, every_store());

}  // namespace
}  // namespace crivo::test
