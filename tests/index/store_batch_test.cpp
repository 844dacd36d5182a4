// SPDX-License-Identifier: Apache-2.0
// Many keys of a store at once: the answers are those of one key at a time, in whatever order and
// with any number of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <random>

#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

class StoreBatch : public testing::Test {
 protected:
  /// Records of 0 to some 300 bytes, so that blocks hold different numbers of them.
  static Keys records_for(const Keys& keys) {
    Keys records;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      records.push_back(std::string(i * 37 % 300, static_cast<char>('a' + i % 26)) +
                        std::to_string(i % 11 == 0 ? 0 : i));
    }
    return records;
  }
  Store built() const {
    build_store(shop_.pairs(keys_, records_), path_, {}, Workshop::options());
    return Store::open(path_);
  }
  /// Stored keys in disorder, each some times, and keys that are not stored among them.
  Keys asked() const {
    Keys asked = numbered_keys(1500, 1'000'000);
    for (std::size_t i = 0; i < keys_.size(); ++i) asked.insert(asked.end(), i % 3, keys_[i]);
    asked.insert(asked.end(), 5000, keys_[7]);
    std::ranges::shuffle(asked, std::mt19937_64(1));
    return asked;
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(20'000);
  const Keys records_ = records_for(keys_);
  const std::filesystem::path path_ = shop_.at("store");
};

TEST_F(StoreBatch, AnswersTheSameWithAnyNumberOfThreads) {
  const Store store = built();
  const Keys keys = asked();
  Store::Reader reader(store);
  for (const unsigned threads : {1U, 2U, 5U, 0U}) {
    std::vector<int> visits(keys.size());
    std::vector<std::string> answers(keys.size());
    std::vector<Store::Status> statuses(keys.size());
    store.find_all(
        views(keys),
        [&](std::size_t i, const Store::Answer& answer) {
          ++visits[i];
          answers[i] = answer.record;
          statuses[i] = answer.status;
        },
        threads);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Store::Answer alone = reader.find(keys[i]);
      ASSERT_EQ(visits[i], 1) << i;
      ASSERT_EQ(statuses[i], alone.status) << i;
      ASSERT_EQ(answers[i], alone.record) << i;
    }
  }
}

/// A reader's batch asks for few long records ahead, and for many short ones.
TEST_F(StoreBatch, OfOneReaderAmongRecordsOfAllLengths) {
  const Keys keys = numbered_keys(600);
  Keys records;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    records.emplace_back(i % 5 == 0 ? i * 40 : i % 70, static_cast<char>('a' + i % 26));
  }
  Keys asked = numbered_keys(100, 1'000'000);
  for (int times = 0; times < 3; ++times) asked.insert(asked.end(), keys.begin(), keys.end());
  std::ranges::shuffle(asked, std::mt19937_64(1));
  for (const char* const backend : {"flat", "lmdb"}) {
    StoreOptions options;
    options.backend = backend;
    options.codec = "none";
    const std::filesystem::path path = shop_.at(backend);
    build_store(shop_.pairs(keys, records), path, options, Workshop::options());
    const Store store = Store::open(path);
    Store::Reader reader(store);
    Store::Reader one(store);
    std::size_t visits = 0;
    reader.find(views(asked), [&](std::size_t i, const Store::Answer& answer) {
      const Store::Answer alone = one.find(asked[i]);
      ASSERT_EQ(i, visits++);
      ASSERT_EQ(answer.status, alone.status) << asked[i];
      ASSERT_EQ(answer.record, alone.record) << asked[i];
    });
    EXPECT_EQ(visits, asked.size());
  }
}

TEST_F(StoreBatch, OfAFewKeysOrNone) {
  const Store store = built();
  std::vector<std::string> answers;
  const auto take = [&](std::size_t, const Store::Answer& answer) {
    answers.emplace_back(answer.record);
  };
  store.find_all({}, take);
  EXPECT_TRUE(answers.empty());
  const std::string_view key = keys_[3];
  store.find_all({&key, 1}, take);
  EXPECT_EQ(answers, Keys{records_[3]});
}

TEST_F(StoreBatch, ThrowsWhatTheVisitorThrows) {
  const Store store = built();
  EXPECT_THROW(store.find_all(
                   views(keys_), [](std::size_t, const Store::Answer&) { throw 1; }, 4),
               int);
}

TEST_F(StoreBatch, VerifyIsTheSameWithAnyNumberOfThreads) {
  (void)built();
  const KeyInput pairs = shop_.pairs(keys_, records_);
  for (const unsigned threads : {1U, 2U, 5U}) {
    Progress progress;
    verify(path_, {.threads = threads, .progress = &progress});
    EXPECT_EQ(progress.done(), keys_.size());
    EXPECT_EQ(verify_keys(path_, pairs, {.resources = {.threads = threads}}), keys_.size());
  }
}

TEST_F(StoreBatch, VerifyNamesThePairThatDiffersWithAnyNumberOfThreads) {
  (void)built();
  for (const unsigned threads : {1U, 4U}) {
    const auto problem = [&](const Keys& keys, const Keys& records) {
      const KeyInput pairs = shop_.pairs(keys, records);
      return error_of(ErrorKind::mismatch,
                      [&] { verify_keys(path_, pairs, {.resources = {.threads = threads}}); });
    };
    Keys records = records_;
    records[12'345] += "!";
    EXPECT_NE(problem(keys_, records).find("the record of " + quote(keys_[12'345]) + " differs"),
              std::string::npos);
    Keys keys = keys_;
    keys[777] = "foreign";
    EXPECT_NE(problem(keys, records_).find("there is no record for the key " + quote("foreign")),
              std::string::npos);
    keys[777] = keys_[778];  // once too often, with another's record
    EXPECT_NE(problem(keys, records_).find("the record of " + quote(keys_[778]) + " differs"),
              std::string::npos);
    keys.pop_back();
    records = records_;
    records[777] = records[778];
    EXPECT_NE(problem(keys, records).find("19998 distinct keys were given"), std::string::npos);
  }
}

}  // namespace
}  // namespace crivo::test
