// SPDX-License-Identifier: Apache-2.0
/// Store::Writer: records change under their readers, and no update that was committed is lost.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "crivo/build.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "crivo/store_edit.hpp"
#include "fuzz/updated_store.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

namespace fs = std::filesystem;

bool is_long() {
  return std::getenv("CRIVO_LONG") != nullptr;
}

class Updates : public testing::Test {
 protected:
  static constexpr std::size_t kKeys = 500;

  void build(const std::string& version = "0") const {
    build_store(shop_.pairs(keys_, Keys(kKeys, version)), path_, {}, Workshop::options());
  }
  static std::string record(Store::Reader& reader, const std::string& key) {
    const Store::Answer answer = reader.find(key);
    if (answer.status == Store::Status::damaged) return "damaged";
    return answer.status == Store::Status::found ? std::string(answer.record) : "-";
  }
  std::string now(std::size_t key) const {
    const Store store = Store::open(path_);
    Store::Reader reader(store);
    return record(reader, keys_[key]);
  }
  fs::path updates() const {
    for (const auto& file : fs::directory_iterator(path_)) {
      if (file.path().filename().string().starts_with("updates-") &&
          file.path().extension() == ".mdb") {
        return file.path();
      }
    }
    return {};
  }
  /// Runs `work` in a process of its own.
  static pid_t start(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  static int result_of(pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child ? status : -1;
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(kKeys);
  const fs::path path_ = shop_.at("store");
};

TEST_F(Updates, AreSeenByReadersMadeAfterThem) {
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
  EXPECT_EQ(info.changed_records, 3U);
  EXPECT_EQ(info.removed_records, 0U);
}

TEST_F(Updates, AreSeenByEveryKindOfLookupAndThread) {
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

TEST_F(Updates, TakeNoNewKeys) {
  build();
  {
    Store::Writer writer(path_);
    writer.set(keys_[0], "1");
    const std::string error = error_of(ErrorKind::bad_input, [&] { writer.set("new", "r"); });
    EXPECT_NE(error.find("\"new\""), std::string::npos) << error;
    writer.set(keys_[1], "1");
    writer.commit();
    writer.set(keys_[2], "dropped");
  }
  EXPECT_EQ(now(0), "1");
  EXPECT_EQ(now(1), "1");
  EXPECT_EQ(now(2), "0");
  Keys given(keys_.begin(), keys_.begin() + 3);
  given.emplace_back("new");
  error_of(ErrorKind::bad_input,
           [&] { (void)set_records(path_, shop_.pairs(given, Keys(4, "none of these"))); });
  EXPECT_EQ(now(0), "1");
  EXPECT_EQ(set_records(path_, shop_.pairs(keys_, Keys(kKeys, "all"))).records, kKeys);
  EXPECT_EQ(now(0), "all");
  const StoreEdit removed = remove_records(path_, shop_.input(given));
  EXPECT_EQ(removed.absent, 1U);
  EXPECT_EQ(removed.records, kKeys - 3);
}

TEST_F(Updates, SealedStoresRefuseThem) {
  StoreOptions options;
  options.backend = "flat";
  build_store(shop_.pairs(keys_, keys_), path_, options, Workshop::options());
  error_of(ErrorKind::usage, [&] { const Store::Writer writer(path_); });
  error_of(ErrorKind::io, [&] { const Store::Writer writer(shop_.at("none")); });
  EXPECT_TRUE(updates().empty());
}

/// A build takes updates away, also one of the same bytes; who reads them goes on.
TEST_F(Updates, GoWithTheirGeneration) {
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
TEST_F(Updates, AreFolded) {
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
    error_of(ErrorKind::bad_input, [&] { writer.set(keys_.back(), "again"); });
  }
  const fs::path fresh = shop_.at("fresh");
  build_store(
      shop_.pairs(Keys(keys_.begin(), keys_.end() - 1), Keys(texts.begin(), texts.end() - 1)),
      fresh, {}, Workshop::options());
  for (const auto& file : fs::directory_iterator(fresh)) {
    EXPECT_EQ(read_file(path_ / file.path().filename()), read_file(file.path())) << file.path();
  }
}

TEST_F(Updates, AreFoldedOnlyAboveAShare) {
  build();
  set_records(path_, shop_.pairs(keys_, Keys(kKeys, "changed")));
  const StoreCompaction kept = compact_store(path_, {.above = 1e6});
  EXPECT_FALSE(kept.is_compacted);
  EXPECT_EQ(kept.bytes, kept.bytes_before);
  EXPECT_FALSE(updates().empty());
  EXPECT_EQ(now(7), "changed");
}

TEST_F(Updates, OfDamagedStoresAreNotFolded) {
  build_store(shop_.pairs(keys_, Keys(kKeys, "0")), path_, {.codec = "none"}, Workshop::options());
  set_records(path_, shop_.pairs(Keys(keys_.begin(), keys_.begin() + 9), Keys(9, "changed")));
  fs::path data;
  for (const auto& file : fs::directory_iterator(path_)) {
    if (file.path().filename().string().starts_with("data-")) data = file.path();
  }
  const fs::path sound = shop_.at("sound");
  fs::copy_file(data, sound);
  const std::string bytes(base::as_text(read_file(data)));
  std::fstream(data, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(bytes.find(keys_[200])))
      .put('\0');
  error_of(ErrorKind::corrupt, [&] { compact_store(path_); });
  fs::rename(sound, data);
  EXPECT_EQ(now(3), "changed");
  EXPECT_TRUE(compact_store(path_).is_compacted);
}

/// A reader that opens a generation just as one of the same bytes takes its place may have the
/// updates of the old one, and sees those of the new one all the same.
TEST_F(Updates, OfTheSameNameAreSeen) {
  build();
  set_records(path_, shop_.pairs(keys_, Keys(kKeys, "0")));
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

TEST_F(Updates, WritersAndBuildsWaitForOneAnother) {
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

/// Any bit of the updates: no answer is an old one or a wrong one, and verify tells.
TEST_F(Updates, NoDamageIsSilent) {
  build();
  {
    Store::Writer writer(path_);
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < kKeys; i += 2) {
        writer.set(keys_[i],
                   "round " + std::to_string(round) + std::string(i % 40 == 0 ? 5000 : 9, 'r'));
      }
      writer.remove(keys_[7]);
      writer.commit();
    }
  }
  const fs::path file = updates();
  const std::string sound = text_of(file);
  std::mt19937_64 random(4);
  std::size_t refused = 0;
  std::size_t harmless = 0;
  const auto check = [&] {
    bool opened = false;
    try {
      const Store store = Store::open(path_);
      Store::Reader reader(store);
      opened = true;
      for (std::size_t i = 0; i < kKeys; ++i) {
        const std::string wanted = i == 7 ? "-"
                                   : i % 2 == 1
                                       ? "0"
                                       : "round 3" + std::string(i % 40 == 0 ? 5000 : 9, 'r');
        const std::string got = record(reader, keys_[i]);
        if (got == "damaged") {
          opened = false;
        } else {
          EXPECT_EQ(got, wanted) << i;
        }
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    }
    bool verified = true;
    try {
      verify(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      verified = false;
    }
    // Pages that nothing leads to may hold anything; lookups do not read those of free pages.
    EXPECT_TRUE(opened || !verified);
    (opened ? harmless : refused) += 1;
  };
  // Each time another file takes the name: a process has each file open but once.
  const auto put = [&](const std::string& bytes) {
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
  };
  for (int turn = 0; turn < (is_long() ? 20'000 : 200); ++turn) {
    std::string bytes = sound;
    const std::size_t at = turn % 3 == 0 ? random() % 8192 : random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
    SCOPED_TRACE(at);
    put(bytes);
    check();
  }
  for (int turn = 0; turn < 20; ++turn) {
    const std::size_t size = random() % sound.size();
    SCOPED_TRACE(size);
    put(sound.substr(0, size));
    check();
  }
  EXPECT_GT(refused, 50U);
  EXPECT_GT(harmless, 10U);
}

/// Meta pages, tree pages and lengths, with checks that fit and that do not: LMDB believes all of
/// them, and no reader and no writer may.
TEST(UpdatesMutants, AreRefusedOrOfOneMind) {
  const Workshop shop;
  const fuzz::UpdatedStore store(shop.at("."));
  const base::Bytes sound = read_file(store.updates());
  base::Bytes mended = sound;
  fuzz::UpdatesMender::mend(mended);
  ASSERT_TRUE(mended == sound) << "the mender misses some of the entries";
  const std::size_t pages = sound.size() / 4096;
  std::mt19937_64 random(6);
  const auto mutate = [&](base::Bytes& bytes) {
    const std::size_t page = random() % 3 == 0 ? random() % 2 : random() % pages;
    const std::size_t nodes = 16 + random() % 64;
    switch (random() % 6) {
      case 0:  // a bit of a header or of the first nodes' places
        bytes[page * 4096 + random() % 160] ^= static_cast<std::byte>(1 << random() % 8);
        break;
      case 1:  // a byte anywhere
        bytes[page * 4096 + random() % 4096] = static_cast<std::byte>(random());
        break;
      case 2: {  // a number
        constexpr std::array<std::uint64_t, 8> kNumbers{0, 1, 2, 4096, 65535, 1U << 31, ~0U, ~0ULL};
        const std::size_t at = page * 4096 + random() % 40 * 4;
        base::store_le(&bytes[at], kNumbers[random() % kNumbers.size()]);
        break;
      }
      case 3:  // a node that begins elsewhere
        base::store_le(&bytes[page * 4096 + nodes / 2 * 2], static_cast<std::uint16_t>(random()));
        break;
      case 4: {  // one page in another's place
        const std::size_t from = random() % pages * 4096;
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), 4096,
                    bytes.begin() + static_cast<std::ptrdiff_t>(page * 4096));
        break;
      }
      default:  // a node's length, flags or key
        const std::size_t node = base::load_le<std::uint16_t>(&bytes[page * 4096 + nodes / 2 * 2]);
        bytes[page * 4096 + std::min<std::size_t>(node, 4080) + random() % 24 % 16] =
            static_cast<std::byte>(random());
    }
  };
  const int turns = is_long() ? 100'000 : 100 / kFewer;
  std::clock_t longest = 0;
  for (int turn = 0; turn < turns; ++turn) {
    base::Bytes bytes = sound;
    for (std::uint64_t i = 1 + random() % 3; i != 0; --i) mutate(bytes);
    if (turn % 20 == 0) bytes.resize(random() % (2 * bytes.size()));
    if (turn % 2 == 0) fuzz::UpdatesMender::mend(bytes);
    SCOPED_TRACE(turn);
    store.put(bytes);
    const std::clock_t begin = std::clock();
    ASSERT_NO_THROW(store.use());
    longest = std::max(longest, std::clock() - begin);
  }
  std::printf("%d mutants, at most %.3f s of processor time each\n", turns,
              static_cast<double>(longest) / CLOCKS_PER_SEC);
}

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

}  // namespace
}  // namespace crivo::test
