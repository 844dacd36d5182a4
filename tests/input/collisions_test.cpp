// SPDX-License-Identifier: Apache-2.0
/// Keys that differ and have one hash, by hash functions made for it.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "crivo/build/build.hpp"
#include "input/called_taker.hpp"
#include "input/colliding_keys.hpp"
#include "input/input_files.hpp"
#include "input/input_spool.hpp"
#include "input/repeat_check.hpp"
#include "support/sizes.hpp"

namespace crivo::input {
namespace {

/// "twin..." collides with "TWIN..." under every seed before kGoodSeed.
constexpr std::uint64_t kGoodSeed = 12;

Hash128 bad_before_12(std::string_view key, std::uint64_t seed) noexcept {
  if (seed >= kGoodSeed || !key.starts_with("TWIN")) return hash_key(key, seed);
  return hash_key("twin" + std::string(key.substr(4)), seed);
}

Hash128 always_bad(std::string_view key, std::uint64_t) noexcept {
  return bad_before_12(key, 0);
}

Hash128 default_by_pointer(std::string_view key, std::uint64_t seed) noexcept {
  return hash_key(key, seed);
}

HashedKeys hash_with(const Strings& paths, const HashOptions& options, unsigned threads = 2) {
  Progress progress;
  return hashed_by([&](const UseKeys& use) {
    hash_keys({paths, {}}, options, {threads, progress}, use);
  });
}

std::string filler(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "key " + std::to_string(i) + "\n";
  return text;
}

HashOptions options(std::uint64_t seed, DuplicatePolicy duplicates, hashing::PlainHash hash) {
  return {.seed = seed, .duplicates = duplicates, .temp_dir = "/tmp", .hash = hash};
}

std::vector<Hash128> all_of(const stream::SortedHashes& hashes) {
  const auto all = hashes.partition(0, 0);
  return {all.begin(), all.end()};
}

TEST(Collisions, AnotherSeedIsTried) {
  const InputFiles files;
  const std::string path = files.write("keys", filler(50'000) + "twin\n" + "TWIN\n");
  for (const DuplicatePolicy policy : {DuplicatePolicy::refuse, DuplicatePolicy::ignore}) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      for (const std::uint64_t seed : {kGoodSeed, kGoodSeed - 1, kGoodSeed - kMaxSeeds + 1}) {
        const HashedKeys hashed = hash_with({path}, options(seed, policy, bad_before_12), threads);
        EXPECT_EQ(hashed.seed, kGoodSeed);
        EXPECT_EQ(hashed.collected, 50'002U);
        EXPECT_EQ(hashed.hashes.size(), 50'002U);
        EXPECT_EQ(hashed.temp_bytes, 0U);
        EXPECT_TRUE(all_of(hashed.hashes) ==
                    all_of(hash_with({path}, options(kGoodSeed, policy, hash_key)).hashes));
      }
    }
  }
}

TEST(Collisions, SeedsRunOut) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\ntwin\nb\nTWIN\n");
  for (const hashing::PlainHash hash :
       {hashing::PlainHash{bad_before_12}, hashing::PlainHash{always_bad}}) {
    const std::uint64_t seed = kGoodSeed - kMaxSeeds;
    EXPECT_EQ(error_of(ErrorKind::bad_input,
                       [&] { hash_with({path}, options(seed, DuplicatePolicy::refuse, hash)); }),
              path +
                  ":4: the key \"TWIN\" has the same 128-bit hash as the key \"twin\"; build with "
                  "another seed, first on line 2; 1 duplicate in total");
    EXPECT_EQ(error_of(ErrorKind::bad_input,
                       [&] { hash_with({path}, options(seed, DuplicatePolicy::ignore, hash)); }),
              path +
                  ": two different keys have the same 128-bit hash under each of 4 seeds; build "
                  "with another seed");
  }
}

TEST(Collisions, ADuplicateIsNamedBesideThem) {
  const InputFiles files;
  const std::string path = files.write("keys", "twin\nTWIN\na\nb\na\n");
  const std::string message = error_of(ErrorKind::bad_input, [&] {
    hash_with({path}, options(0, DuplicatePolicy::refuse, always_bad));
  });
  EXPECT_NE(message.find("line 5: duplicate key \"a\", first on line 3"), std::string::npos)
      << message;
  // Those after more collisions than are looked at are found under the next seed.
  std::string keys;
  for (int i = 0; i < 10; ++i) {
    keys += "twin" + std::to_string(i) + "\nTWIN" + std::to_string(i) + "\n";
  }
  const std::string late = files.write("late", keys + "a\na\n");
  EXPECT_EQ(error_of(ErrorKind::bad_input,
                     [&] {
                       hash_with({late},
                                 options(kGoodSeed - 1, DuplicatePolicy::refuse, bad_before_12));
                     }),
            late + ":22: duplicate key \"a\", first on line 21; 1 duplicate in total");
}

/// With --duplicates ignore, equal keys take no other seed, and hide no collision; also where they
/// are too many to be listed in memory.
TEST(Collisions, AmongIgnoredDuplicates) {
  const InputFiles files;
  const std::string twice = filler(30'000) + filler(30'000);
  const std::string path = files.write("keys", twice);
  const std::string worse = files.write("worse", twice + "twin\ntwin\nTWIN\ntwin\n");
  HashOptions ignore = options(0, DuplicatePolicy::ignore, bad_before_12);
  const auto ignoring = [&](std::uint64_t seed) {
    ignore.seed = seed;
    return ignore;
  };
  for (const unsigned threads : {1U, 3U, 2U}) {
    if (threads == 2) ignore.memory_bytes = 1 << 16;
    const HashedKeys equal = hash_with({path}, ignoring(0), threads);
    EXPECT_EQ(equal.seed, 0U);
    EXPECT_EQ(equal.hashes.size(), 30'000U);
    EXPECT_EQ(equal.collected, 60'000U);
    const HashedKeys other = hash_with({worse}, ignoring(kGoodSeed - 2), threads);
    EXPECT_EQ(other.seed, kGoodSeed);
    EXPECT_EQ(other.hashes.size(), 30'002U);
    EXPECT_EQ(other.collected, 60'004U);
  }
  {
    const FilledPipe pipe(files, {twice, "twin\nTWIN\ntwin\n"});
    EXPECT_EQ(hash_with({pipe.path()}, ignoring(kGoodSeed - 1)).seed, kGoodSeed);
  }
  const FilledPipe equal(files, {twice});
  EXPECT_EQ(hash_with({equal.path()}, ignoring(1)).seed, 1U);
}

/// A caller whose seed is given has one of each hash.
TEST(Collisions, OfGivenSeedsAreNotLookedAt) {
  const InputFiles files;
  const std::string path = files.write("keys", "twin\nTWIN\na\na\n");
  const HashedKeys hashed =
      hash_with({path}, options(3, DuplicatePolicy::ignore_hashes, always_bad));
  EXPECT_EQ(hashed.seed, 3U);
  EXPECT_EQ(hashed.hashes.size(), 2U);
}

/// A pipe is hashed again from what was kept of it, if that is all.
TEST(Collisions, FromAPipe) {
  const InputFiles files;
  for (const DuplicatePolicy policy : {DuplicatePolicy::refuse, DuplicatePolicy::ignore}) {
    for (const unsigned threads : {1U, 3U}) {
      const FilledPipe pipe(files, {filler(100'000), "twin\nTW", "IN\n"});
      HashOptions hash_options = options(kGoodSeed - 3, policy, bad_before_12);
      hash_options.temp_dir = files.path();
      const HashedKeys hashed = hash_with({pipe.path()}, hash_options, threads);
      EXPECT_EQ(hashed.seed, kGoodSeed);
      EXPECT_EQ(hashed.hashes.size(), 100'002U);
      EXPECT_GT(hashed.temp_bytes, 4 * 8 * 100'000U);
    }
  }
}

TEST(Collisions, FromAPipeOfMoreKeysThanAreKept) {
  const InputFiles files;
  std::string many;
  for (std::uint64_t i = 0; i < InputSpool::kTextKeys + 200'000; ++i) {
    many += std::to_string(i) + "\n";
  }
  {
    const FilledPipe pipe(files, {"twin\nTWIN\n", many});
    EXPECT_EQ(error_of(ErrorKind::bad_input,
                       [&] {
                         hash_with({pipe.path()},
                                   options(kGoodSeed - 1, DuplicatePolicy::refuse, bad_before_12));
                       }),
              pipe.path() +
                  ":2: the key \"TWIN\" has the same 128-bit hash as the key \"twin\"; build with "
                  "another seed, first on line 1; 1 duplicate in total");
  }
  const FilledPipe pipe(files, {"twin\nTWIN\n", many});
  EXPECT_EQ(
      error_of(ErrorKind::bad_input,
               [&] {
                 hash_with({pipe.path()},
                           options(kGoodSeed - 1, DuplicatePolicy::ignore, bad_before_12));
               }),
      pipe.path() + ": two different keys have the same 128-bit hash; build with another seed");
}

/// Records are handed on again, after a call that says so.
TEST(Collisions, OfRecords) {
  const InputFiles files;
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += std::to_string(i) + "\trecord\n";
  lines += "twin\t1\nTWIN\t2\n";
  const std::string path = files.write("records", lines);
  for (const bool piped : {false, true}) {
    const auto pipe = piped ? std::make_unique<FilledPipe>(files, Strings{lines}) : nullptr;
    std::mutex mutex;
    std::set<std::pair<std::string, std::string>> taken;
    unsigned begun = 0;
    Progress progress;
    const auto begin = [&] {
      ++begun;
      taken.clear();
    };
    const auto take = [&](Hash128 hash, std::uint64_t, std::string_view key,
                          std::string_view record) {
      const std::scoped_lock lock(mutex);
      EXPECT_EQ(hash, bad_before_12(key, kGoodSeed - 2 + begun));
      taken.emplace(key, record);
    };
    CalledTaker taker(take, begin);
    const HashedKeys hashed = hashed_by([&](const UseKeys& use) {
      hash_records({{pipe ? pipe->path() : path}, {}},
                   options(kGoodSeed - 1, DuplicatePolicy::refuse, bad_before_12), taker,
                   {2, progress}, use);
    });
    EXPECT_EQ(begun, 2U);
    EXPECT_EQ(hashed.seed, kGoodSeed);
    EXPECT_EQ(hashed.hashes.size(), 20'002U);
    EXPECT_EQ(taken.size(), 20'002U);
    EXPECT_TRUE(taken.contains({"twin", "1"}));
    EXPECT_TRUE(taken.contains({"TWIN", "2"}));
  }
}

TEST(Collisions, TheHashFunctionIsOneThing) {
  const InputFiles files;
  const std::string path = files.write("keys", filler(1000));
  const auto by = [&](hashing::PlainHash hash) {
    return all_of(hash_with({path}, options(5, DuplicatePolicy::refuse, hash)).hashes);
  };
  EXPECT_TRUE(by(hash_key) == by(default_by_pointer));
}

/// The second seed by which keys were told apart once.
constexpr std::uint64_t kFormerSecondSeed = 0xc0111de5c0111de5U;

/// Keys made to collide under any seeds that are known do not pass for equal.
TEST(Collisions, OfKeysMadeForIt) {
  const InputFiles files;
  const auto [one, two] = keys_that_collide({0, kFormerSecondSeed});
  ASSERT_NE(one, two);
  for (const std::uint64_t seed : {std::uint64_t{0}, kFormerSecondSeed}) {
    ASSERT_EQ(hash_key(one, seed), hash_key(two, seed));
  }
  const std::string lines = one + "\na\n" + two + "\na\n" + one + "\n";
  const std::string path = files.write("keys", lines);
  for (const unsigned threads : {1U, 3U}) {
    const FilledPipe pipe(files, {lines});
    for (const std::string& source : {path, pipe.path()}) {
      const HashedKeys hashed = hash({source}, threads, {}, DuplicatePolicy::ignore);
      EXPECT_EQ(hashed.hashes.size(), 3U);
      EXPECT_EQ(hashed.collected, 5U);
      EXPECT_EQ(hashed.seed, 1U);
    }
  }
}

/// A seed that is not known helps where those that are have run out.
TEST(Collisions, OfKeysMadeForEverySeedThatIsTried) {
  const InputFiles files;
  const auto [one, two] = keys_that_collide({0, 1, 2, 3}, 33);  // a salt that is soon done
  const std::string path = files.write("keys", one + "\n" + two + "\n");
  EXPECT_NE(error_of(ErrorKind::bad_input,
                     [&] { hash_with({path}, options(0, DuplicatePolicy::ignore, hash_key)); })
                .find("same 128-bit hash under each of 4 seeds"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::bad_input,
                     [&] { hash_with({path}, options(0, DuplicatePolicy::refuse, hash_key)); })
                .find("has the same 128-bit hash as the key"),
            std::string::npos);
  for (int i = 0; i < 10 / test::kFewer; ++i) {
    for (const DuplicatePolicy policy : {DuplicatePolicy::ignore, DuplicatePolicy::refuse}) {
      EXPECT_EQ(hash_with({path}, options(random_seed(), policy, hash_key)).hashes.size(), 2U);
    }
  }
}

/// Where the text is no longer kept the keys are told apart all the same.
TEST(Collisions, FarInAPipeAreNoDuplicates) {
  const InputFiles files;
  std::string many;
  for (std::uint64_t i = 0; i < InputSpool::kTextKeys + 200'000; ++i) {
    many += std::to_string(i) + "\n";
  }
  {
    const FilledPipe pipe(files, {many, "5\n6\n5\n"});
    const HashedKeys hashed = hash({pipe.path()}, 2, {}, DuplicatePolicy::ignore);
    EXPECT_EQ(hashed.hashes.size(), InputSpool::kTextKeys + 200'000);
  }
  const FilledPipe pipe(files, {many, "5\ntwin\nTWIN\n"});
  EXPECT_EQ(
      error_of(
          ErrorKind::bad_input,
          [&] { hash_with({pipe.path()}, options(0, DuplicatePolicy::ignore, bad_before_12)); }),
      pipe.path() + ": two different keys have the same 128-bit hash; build with another seed");
}

/// Nothing is dropped on a guess.
TEST(Collisions, OfAPipeThatCannotBeKept) {
  const InputFiles files;
  const FilledPipe pipe(files, {"a\na\n"});
  EXPECT_NE(
      error_of(ErrorKind::io,
               [&] { hash({pipe.path()}, 1, {}, DuplicatePolicy::ignore, files.path() / "none"); })
          .find("is not known"),
      std::string::npos);
}

/// Keys with half of a duplicate's hash are neither it nor like it.
TEST(Collisions, OfHalfAHash) {
  const InputFiles files;
  const hashing::PlainHash half = [](std::string_view key, std::uint64_t seed) noexcept {
    Hash128 hash = hash_key(key, seed);
    hash.lo = 7;
    return hash;
  };
  const std::string path = files.write("keys", "x\ny\na\nb\na\nz\n");
  EXPECT_EQ(error_of(ErrorKind::bad_input,
                     [&] { hash_with({path}, options(0, DuplicatePolicy::refuse, half)); }),
            path + ":5: duplicate key \"a\", first on line 3; 1 duplicate in total");
  EXPECT_EQ(hash_with({path}, options(0, DuplicatePolicy::ignore, half)).hashes.size(), 5U);
}

TEST(CollisionCheck, SeesOnlyItsHashes) {
  for (const std::uint64_t count : {1U, 2U, 3U, 1000U}) {
    std::vector<Hash128> repeated;
    for (std::uint64_t i = 0; i < count; ++i) repeated.push_back({i << 50, i});
    CollisionCheck check(repeated, hashing::SipKey::random());
    std::vector<Hash128> hashes;
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const Hash128 hash :
           {repeated[i], repeated[i], Hash128{i << 50, i + 1}, Hash128{~i, i}}) {
        hashes.push_back(hash);
        texts.push_back(hash == repeated[i] ? std::to_string(i) : "other");
      }
    }
    check.look_at(hashes, std::vector<std::string_view>(texts.begin(), texts.end()));
    EXPECT_FALSE(check.found());
    const std::string_view other = "other";
    check.look_at({&repeated.back(), 1}, {&other, 1});
    EXPECT_TRUE(check.found());
  }
}

}  // namespace
}  // namespace crivo::input
