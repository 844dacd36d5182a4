// SPDX-License-Identifier: Apache-2.0
/// The log of updates: what is in it, what is read of it, and what damage of it does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "fuzz/updated_store.hpp"
#include "index/key_sets.hpp"
#include "index/updates_fixture.hpp"
#include "lookup/store_files.hpp"
#include "records/updates/update_log.hpp"
#include "records/updates/update_snapshot.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

TEST_F(Updates, AreInTheCodecOfTheStore) {
  const std::string text = "a text that comes again and again, of record number ";
  for (const char* codec : {"tokens12", "zstd", "none"}) {
    Keys texts;
    for (std::size_t i = 0; i < kKeys; ++i) texts.push_back(text + std::to_string(i));
    BuildOptions options = Workshop::options();
    options.replace = true;
    build_store(shop_.pairs(keys_, texts), path_, {.codec = codec}, options);
    std::ranges::reverse(texts);
    texts[3] += std::string(5000, 'l');  // longer than any of the build
    set_records(path_, shop_.pairs(keys_, texts));
    const std::uint64_t entries = 4096 + 12 * kKeys;
    const std::uint64_t raw = kKeys * text.size();
    const std::uint64_t values = fs::file_size(updates()) - entries;
    EXPECT_EQ(values < raw * 2 / 3 + 5000, codec != std::string_view("none")) << codec << values;
    verify(path_);
    const Store store = Store::open(path_);
    Store::Reader reader(store);
    for (std::size_t i = 0; i < kKeys; ++i) ASSERT_EQ(record(reader, keys_[i]), texts[i]);
  }
}

/// A commit that is whole, and of which the writer was killed before a slot named it.
TEST_F(Updates, ThatNoSlotNamesAreAdopted) {
  build();
  const auto set = [&](std::size_t key, const char* text) {
    set_records(path_, shop_.pairs({keys_[key]}, {text}));
  };
  set(0, "first");
  const std::string front = text_of(updates()).substr(0, 4096);
  set(1, "second");
  std::fstream(updates(), std::ios::binary | std::ios::in | std::ios::out) << front;
  {
    const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(directory, LOCK_EX), 0);
    EXPECT_EQ(now(1), "0") << "a writer may be about to give it up";
    ::close(directory);
  }
  EXPECT_EQ(now(1), "second");
  set(2, "third");
  EXPECT_EQ(now(0), "first");
  EXPECT_EQ(now(1), "second");
  EXPECT_EQ(now(2), "third");
  verify(path_);
  std::fstream(updates(), std::ios::binary | std::ios::in | std::ios::out) << front;
  EXPECT_TRUE(compact_store(path_).is_compacted);
  EXPECT_EQ(now(2), "third") << "also where the slots are several commits behind";
}

/// A commit that was reported, and whose slot a loss of power took: whoever is to change the store
/// names it before he has the lock, behind which readers take none that is not named.
TEST_F(Updates, AreNamedBeforeAWriterIsInTheWay) {
  build();
  const auto front = [&] { return text_of(updates()).substr(0, 4096); };
  set_records(path_, shop_.pairs({keys_[0]}, {"first"}));
  const std::string before = front();
  set_records(path_, shop_.pairs({keys_[1]}, {"second"}));
  const std::string after = front();
  const auto lose = [&] {
    std::fstream(updates(), std::ios::binary | std::ios::in | std::ios::out) << before;
  };
  {
    lose();
    const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(directory, LOCK_SH), 0);
    Progress progress;
    progress.cancel();  // when it waits for the lock
    EXPECT_THROW(set_records(path_, shop_.pairs({keys_[2]}, {"third"}),
                             {.resources = {.progress = &progress}}),
                 Error);
    EXPECT_TRUE(front() == after);
    ::close(directory);
  }
  lose();
  Progress progress;
  std::string seen;
  progress.set_last_question([&] { seen = now(1); });
  BuildOptions options = Workshop::options();
  options.replace = true;
  options.resources.progress = &progress;
  build_store(shop_.pairs(keys_, Keys(kKeys, "next")), path_, {}, options);
  EXPECT_EQ(seen, "second") << "while the build has the lock";
  EXPECT_EQ(now(1), "next");
}

/// What a build leaves that is killed after its index has its name: the updates of the store
/// before.
TEST_F(Updates, OfAKilledBuildAreNobodys) {
  build();
  set_records(path_, shop_.pairs(keys_, Keys(kKeys, "changed")));
  const fs::path left = updates();
  const std::string bytes = text_of(left);
  const auto put_back = [&] { std::ofstream(left, std::ios::binary) << bytes; };
  build("next");
  put_back();
  set_records(path_, shop_.pairs({keys_[0]}, {"new"}));
  EXPECT_FALSE(fs::exists(left)) << "a writer takes it away";
  put_back();
  build();
  EXPECT_EQ(now(1), "0") << "it is not taken for the updates of a store of the same bytes";
}

/// Opening and a lookup read of the updates what leads to one record, however many there are.
TEST_F(Updates, AreReadWhereTheyAreAskedFor) {
  constexpr std::size_t kMany = 60'000 / kFewer;
  const Keys keys = numbered_keys(kMany);
  build_store(shop_.pairs(keys, Keys(kMany, "0")), path_, {}, Workshop::options());
  for (const char* text : {"one", "two"}) set_records(path_, shop_.pairs(keys, Keys(kMany, text)));
  const fs::path log = updates();
  const auto resident = [&] {
    const int file = ::open(log.c_str(), O_RDONLY);
    const std::size_t size = fs::file_size(log);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    std::vector<unsigned char> pages(size / 4096 + 1);
    EXPECT_EQ(::mincore(memory, size, pages.data()), 0);
    ::munmap(memory, size);
    ::close(file);
    return std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; });
  };
  const int file = ::open(log.c_str(), O_RDONLY);
  ::fsync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
  if (resident() > 4) GTEST_SKIP() << "the file stays in memory";
  const Store store = Store::open(path_);
  Store::Reader reader(store);
  EXPECT_EQ(record(reader, keys[77]), "two");
  EXPECT_LT(resident(), 100);
}

/// A key of the build does not depend on runs that have added keys alone.
TEST_F(Updates, OfAddedKeysAreNotReadForOthers) {
  build();
  set_records(path_, shop_.pairs({"new"}, {"added"}));
  std::string bytes = text_of(updates());
  const auto place =
      records::read_slots(
          base::FileDescriptor::open_to_read(updates()),
          index::StoreFiles::open(path_, file::Loading::mapped).index.header().content_id)
          .slot;
  const auto record_of_commit = records::CommitRecord::decode(
      base::as_bytes(bytes).subspan(place.record_begin), place.record_begin, kKeys);
  ASSERT_TRUE(record_of_commit);
  bytes[record_of_commit->runs.front().begin] ^= 1;
  std::ofstream(updates(), std::ios::binary) << bytes;
  const Store store = Store::open(path_);
  Store::Reader reader(store);
  EXPECT_EQ(record(reader, "new"), "damaged");
  EXPECT_EQ(record(reader, keys_[1]), "0");
}

/// Where a run is damaged each of a block's numbers may stand for a key, also those of a last word
/// that the bound cuts.
TEST(UpdateMarks, OfABlockAreAllThatMayBe) {
  const records::Marks marks(2 * records::Marks::kBlock + 100);
  const std::uint64_t last = marks.bound() - 1;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  marks.mark_block(last);
  EXPECT_TRUE(marks.is_marked(last, kAll));
  EXPECT_TRUE(marks.is_marked(2 * records::Marks::kBlock, kAll));
  EXPECT_FALSE(marks.is_marked(2 * records::Marks::kBlock - 1, 1));
  marks.mark_block(0);
  EXPECT_TRUE(marks.is_marked(0, kAll));
  EXPECT_TRUE(marks.is_marked(records::Marks::kBlock - 1, kAll));
  EXPECT_FALSE(marks.is_marked(records::Marks::kBlock, 1));
}

TEST_F(Updates, OfManySmallCommitsAreFound) {
  build();
  Store store = Store::open(path_);
  Store::Writer writer(path_);
  constexpr std::size_t kCommits = 150;
  for (std::size_t i = 0; i < kCommits; ++i) {
    writer.set(keys_[i % 100], std::to_string(i));
    writer.commit();
    EXPECT_TRUE(store.refresh());
    Store::Reader reader(store);
    ASSERT_EQ(record(reader, keys_[i % 100]), std::to_string(i));
    ASSERT_EQ(record(reader, keys_[i / 2 % 100]),
              std::to_string(i / 2 % 100 + (i / 2 % 100 + 100 <= i ? 100 : 0)));
  }
  EXPECT_LT(fs::file_size(updates()), kCommits * 700);
  verify(path_);
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
    EXPECT_TRUE(opened || !verified);  // lookups do not read what was changed again since
    (opened ? harmless : refused) += 1;
  };
  const auto put = [&](const std::string& bytes) {
    fs::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
  };
  for (int turn = 0; turn < (is_long() ? 20'000 : 200); ++turn) {
    std::string bytes = sound;
    const std::size_t at =
        turn % 3 == 0 ? random() % 2 * 512 + random() % 72 : random() % bytes.size();
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
  EXPECT_GT(refused, 30U);
  EXPECT_GT(harmless, 10U);
}

/// The damaged update of a rank says nothing of an added key that gets the rank by the index, but
/// has another fingerprint: whether that is asked for before the updates are, or behind them.
TEST(DamagedUpdates, AreDamageInEveryWayOfAsking) {
  const Workshop shop;
  for (const StoreOptions& options : {fuzz::kFlat, fuzz::kOrdered}) {
    const fuzz::UpdatedStore store(shop.at("."), options.ordered ? "ordered" : "flat", options);
    base::Bytes damaged = read_file(store.updates());
    const auto at = [&](std::size_t place) {
      return base::load_le<std::uint64_t>(damaged.data() + place);
    };
    const std::size_t last = at(32) < at(512 + 32) ? 512 : 0;
    const std::size_t run = at(at(last + 40) + records::CommitRecord::kFixedBytes);
    damaged[run + 1] ^= std::byte{1};
    store.put(damaged);
    EXPECT_NO_THROW(store.use());
  }
}

/// Slots, heads, records, runs and lengths, with checks that fit and that do not.
class UpdatesMutants : public testing::TestWithParam<bool> {};

TEST_P(UpdatesMutants, AreRefusedOrOfOneMind) {
  const Workshop shop;
  const fuzz::UpdatedStore store(shop.at("."), "store",
                                 GetParam() ? fuzz::kOrdered : StoreOptions{});
  const base::Bytes sound = read_file(store.updates());
  base::Bytes mended = sound;
  fuzz::UpdatesMender::mend(mended);
  ASSERT_TRUE(mended == sound) << "the mender misses some of the entries";
  std::mt19937_64 random(6);
  // Where the log is dense with what leads to the rest: the front, and the end of the last commit.
  const auto place = [&] {
    switch (random() % 3) {
      case 0:
        return random() % 2 * 512 + random() % 72;
      case 1:
        return sound.size() - 1 - random() % 3000;
      default:
        return 4096 + random() % (sound.size() - 4096);
    }
  };
  const auto mutate = [&](base::Bytes& bytes) {
    const std::size_t at = std::min(place(), bytes.size() - 8);
    switch (random() % 5) {
      case 0:  // a bit
        bytes[at] ^= static_cast<std::byte>(1 << random() % 8);
        break;
      case 1:  // a byte
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 2: {  // a number
        constexpr std::array<std::uint64_t, 8> kNumbers{0, 1, 2, 4096, 65535, 1U << 31, ~0U, ~0ULL};
        base::store_le(&bytes[at / 8 * 8], kNumbers[random() % kNumbers.size()]);
        break;
      }
      case 3:  // a place that is near
        base::store_le(&bytes[at], base::load_le<std::uint64_t>(&bytes[at]) + random() % 200 - 100);
        break;
      default: {  // one piece in another's place
        const std::size_t from = std::min(place(), bytes.size() - 64);
        std::copy_n(sound.begin() + static_cast<std::ptrdiff_t>(from), 64,
                    bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size() - 64)));
      }
    }
  };
  const int turns = is_long() ? 100'000 : 60 / kFewer;
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

INSTANTIATE_TEST_SUITE_P(Ordered, UpdatesMutants, testing::Bool());

}  // namespace
}  // namespace crivo::test
