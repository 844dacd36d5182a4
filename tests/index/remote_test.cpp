// SPDX-License-Identifier: Apache-2.0
// Lookups in files of which only some ranges are read, from sources that tell the truth or not.

#include "crivo/remote.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/ship.hpp"
#include "crivo/index.hpp"
#include "file/container.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"
#include "support/signing_key.hpp"

namespace crivo {
namespace {

using test::error_of;
using test::Keys;
using test::numbered_keys;
using test::Workshop;
using Bytes = std::vector<std::byte>;

/// What was asked of a source, and what is done to its answers.
struct Log {
  int calls = 0;  ///< of read()
  std::uint64_t bytes = 0;
  std::function<void(Bytes& bytes)> change{};
};

class LoggedSource final : public ByteSource {
 public:
  LoggedSource(const std::filesystem::path& path, Log& log)
      : file_(ByteSource::of_file(path)), log_(log) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    FileEnds ends = file_->ends(head, tail);
    see(ends.head);
    see(ends.tail);
    return ends;
  }
  std::vector<Bytes> read(std::span<const ByteRange> ranges) override {
    ++log_.calls;
    std::vector<Bytes> all = file_->read(ranges);
    for (Bytes& bytes : all) see(bytes);
    return all;
  }

 private:
  void see(Bytes& bytes) {
    log_.bytes += bytes.size();
    if (log_.change) log_.change(bytes);
  }

  std::unique_ptr<ByteSource> file_;
  Log& log_;
};

Remote open(const std::filesystem::path& path, Log& log, const RemoteOptions& options = {}) {
  return Remote::open(std::make_unique<LoggedSource>(path, log), options);
}

class RemoteTest : public testing::Test {
 protected:
  std::filesystem::path filter(const std::string& type, std::size_t keys, double fpr = 1.0 / 256) {
    const auto path = shop_.at("filter.crv");
    const Keys some(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(keys));
    build_filter(keys_in(some), path, {.type = type, .fpr = fpr}, Workshop::options());
    return path;
  }
  std::filesystem::path map(const MapOptions& options, std::size_t keys) {
    const auto path = shop_.at("map.crv");
    const Keys some(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(keys));
    build_map(keys_in(some), path, options, Workshop::options());
    return path;
  }
  void expect_as_here(const std::filesystem::path& path, Remote& remote) {
    const auto views = test::views(keys_);
    std::vector<std::optional<std::string>> here;
    const auto index = OpenIndex::open(path);
    index->answer(views, [&](std::string_view, const Answer& answer) {
      here.push_back(answer.found ? std::optional(std::string(answer.text)) : std::nullopt);
    });
    ASSERT_EQ(remote.find(views), here);
  }

  Workshop shop_;
  Keys keys_ = numbered_keys(400'000);  // that are asked for: files have some of them
};

TEST_F(RemoteTest, FiltersAnswerAsHere) {
  for (const auto& [type, keys] : {std::pair("ribbon", std::size_t{0}),
                                   {"ribbon", 1},
                                   {"ribbon", 3000},
                                   {"ribbon", 60'000},
                                   {"ribbon", 300'000},
                                   {"fuse", 200'000},
                                   {"bloom", 200'000},
                                   {"split-block-bloom", 90'000}}) {
    const auto path = filter(type, keys);
    Log log;
    Remote remote = open(path, log);
    EXPECT_EQ(remote.index().size(), keys);
    expect_as_here(path, remote);
  }
}

TEST_F(RemoteTest, MapsAnswerAsHere) {
  for (const MapOptions& options :
       {MapOptions{}, MapOptions{.signature_bits = 16}, MapOptions{.algorithm = "fuse"}}) {
    for (const std::size_t keys : {100, 200'000}) {
      const auto path = map(options, keys);
      Log log;
      Remote remote = open(path, log);
      expect_as_here(path, remote);
    }
  }
}

/// The ends have all but the key's partition, and some of the leaves: also of a map with a filter
/// of its keys.
TEST_F(RemoteTest, FirstAnswerTakesTwoRoundTrips) {
  for (const auto& path :
       {filter("ribbon", 400'000, 1.0 / 65536 / 256), map({.signature_bits = 16}, 400'000)}) {
    ASSERT_GT(std::filesystem::file_size(path), 1'000'000U);
    for (std::size_t i = 0; i < 400'000; i += 40'000) {
      Log log;
      Remote remote = open(path, log);
      EXPECT_EQ(log.calls, 0);
      EXPECT_LE(log.bytes, 42'000U);
      EXPECT_TRUE(remote.find(keys_[i]).has_value());
      EXPECT_EQ(log.calls, 1);
      EXPECT_LE(log.bytes, 42'000U + 9 * 65'536U);  // partitions of 150, or 130 and 100 KB
      (void)remote.find(keys_[i]);
      EXPECT_EQ(log.calls, 1);
    }
  }
}

/// What structures look at first comes in one call, whatever they are; then a key's places, one
/// call for each that is found by the one before.
TEST_F(RemoteTest, OpeningTakesOneRoundTripMore) {
  std::string rows;
  for (std::size_t i = 0; i < 200'000; ++i)
    rows += keys_[i] + "\tfile " + std::to_string(i % 1000) + '\t' + std::to_string(i) + '\n';
  build_rows(shop_.write("rows", rows, {}), shop_.at("rows.crv"), {}, Workshop::options());
  const Keys some(keys_.begin(), keys_.begin() + 200'000);
  build_dictionary(keys_in(some), shop_.at("ids.crv"), {.hashed = true}, Workshop::options());
  for (const auto& [name, calls] : {std::pair("rows.crv", 1), {"ids.crv", 3}}) {
    for (std::size_t i = 0; i < 200'000; i += 50'000) {
      Log log;
      Remote remote = open(shop_.at(name), log);
      EXPECT_EQ(log.calls, 1) << name;
      EXPECT_TRUE(remote.find(keys_[i]).has_value()) << name;
      EXPECT_LE(log.calls, 1 + calls) << name;
    }
  }
}

/// Of a key in each partition, and again from a cache that forgets: header and table are kept.
TEST_F(RemoteTest, WhatTheDirectoryHasIsKept) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536);
  Log log;
  Remote remote = open(path, log, {.cache_bytes = 0});
  for (std::size_t i = 0; i < 400'000; i += 4'000) {
    log.change = [](Bytes& bytes) { bytes.back() ^= std::byte{1}; };
    try {
      (void)remote.find(keys_[i]);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    }
    log.change = {};
    ASSERT_TRUE(remote.find(keys_[i]).has_value()) << i;
  }
}

TEST_F(RemoteTest, VerifyingTellsOfEveryByte) {
  const auto path = filter("ribbon", 400'000);
  Log log;
  Remote remote = open(path, log);
  Progress progress;
  remote.index().verify({.progress = &progress});
  EXPECT_EQ(progress.total(), std::filesystem::file_size(path));
  EXPECT_EQ(progress.done(), progress.total());
}

TEST_F(RemoteTest, SmallCachesForget) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  Log log;
  Remote remote = open(path, log, {.cache_bytes = 0});
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 400'000; i += 10'000)
      ASSERT_TRUE(remote.find(keys_[i]).has_value());
  }
  EXPECT_GT(log.calls, 60);
}

/// What a lookup or a walk needs in several steps is kept until it is done.
TEST_F(RemoteTest, SmallCachesKeepWhatIsAsked) {
  const auto path = shop_.at("dictionary.crv");
  const Keys some(keys_.begin(), keys_.begin() + 200'000);
  build_dictionary(keys_in(some), path, {}, Workshop::options());
  const auto here = OpenIndex::open(path);
  Log log;
  Remote remote = open(path, log, {.cache_bytes = 0});
  for (std::size_t i = 0; i < 400'000; i += 50'000)
    ASSERT_EQ(remote.find(keys_[i]).has_value(), i < 200'000) << i;
  expect_as_here(path, remote);
  const auto walked = [](OpenIndex& index) {
    std::string all;
    const std::string from_id = "150000";
    index.query("from-id", {&from_id, 1}, [&](std::string_view key, const Answer& answer) {
      all.append(key).append(" ").append(answer.text).append(" ");
    });
    index.for_each([&](std::string_view key, const std::string_view*) { all.append(key); });
    return all;
  };
  EXPECT_EQ(walked(remote.index()), walked(*here));
}

/// Writes over each file of a folder from its beginning.
void damage_all(const std::filesystem::path& folder, std::uint64_t bytes) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    const std::string wrong(std::min<std::uint64_t>(bytes, entry.file_size()), 'x');
    file.write(wrong.data(), static_cast<std::streamsize>(wrong.size()));
  }
}

/// What was fetched once is not asked for again, by whoever opens the file next; and a cache that
/// is damaged, cut or gone costs its use alone.
TEST_F(RemoteTest, WhatIsOnDiskIsNotFetchedAgain) {
  const auto path = shop_.at("dictionary.crv");
  const Keys some(keys_.begin(), keys_.begin() + 200'000);
  build_dictionary(keys_in(some), path, {}, Workshop::options());
  const RemoteOptions options{.cache_folder = shop_.at("cache"), .cache_folder_bytes = 16U << 20};
  const auto calls = [&] {
    Log log;
    Remote remote = open(path, log, options);
    expect_as_here(path, remote);
    return log.calls;
  };
  EXPECT_GT(calls(), 0);
  EXPECT_EQ(calls(), 0);
  damage_all(options.cache_folder, std::numeric_limits<std::uint64_t>::max());
  EXPECT_GT(calls(), 0);
  EXPECT_EQ(calls(), 0);
  for (const auto& entry : std::filesystem::directory_iterator(options.cache_folder))
    std::filesystem::resize_file(entry.path(), 1000);
  EXPECT_GT(calls(), 0);
  EXPECT_EQ(calls(), 0);
  Log log;
  Remote remote = open(path, log, options);
  std::filesystem::remove_all(options.cache_folder);
  expect_as_here(path, remote);
}

/// Files with the same chunks find each other's; a source that lies leaves nothing behind.
TEST_F(RemoteTest, OnlyWhatIsRightIsKeptOnDisk) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  const RemoteOptions options{.cache_folder = shop_.at("cache")};
  Log log;
  {
    Remote remote = open(path, log, options);
    log.change = [](Bytes& bytes) { bytes.front() ^= std::byte{1}; };
    error_of(ErrorKind::corrupt, [&] { (void)remote.find(keys_[7]); });
    log.change = {};
    EXPECT_TRUE(remote.find(keys_[7]).has_value());
  }
  const auto copy = shop_.at("copy.crv");
  std::filesystem::copy_file(path, copy);
  Log other;
  Remote remote = open(copy, other, options);
  EXPECT_TRUE(remote.find(keys_[7]).has_value());
  EXPECT_EQ(other.calls, 0);
  std::ofstream(shop_.at("file")).close();
  error_of(ErrorKind::io, [&] { (void)open(path, log, {.cache_folder = shop_.at("file")}); });
}

TEST_F(RemoteTest, RoundsOfAWalkGrowWithTheLogarithm) {
  // Keys that do not compress: 20 MB, of which a round reads twice what the one before did.
  std::mt19937_64 random(1);
  Keys keys(400'000);
  for (std::string& key : keys)
    for (int i = 0; i < 6; ++i) key += std::to_string(random() % 100'000'000);
  const auto path = shop_.at("keys.crv");
  build_dictionary(keys_in(keys), path, {}, Workshop::options());
  Log log;
  Remote remote = open(path, log);
  std::uint64_t found = 0;
  remote.index().for_each([&](std::string_view, const std::string_view*) { ++found; });
  EXPECT_EQ(found, keys.size());
  EXPECT_LE(log.calls, 16);
  EXPECT_GE(log.bytes, std::uint64_t{8} << 20);
}

TEST_F(RemoteTest, LiesAreNoAnswers) {
  for (const auto& path : {filter("ribbon", 400'000), map({.signature_bits = 8}, 100'000)}) {
    std::mt19937_64 random(30);
    Log log;
    int refused = 0;
    log.change = [&](Bytes& bytes) {
      if (bytes.empty() || random() % 2 == 0) return;
      bytes[random() % bytes.size()] ^= std::byte{1} << (random() % 8);
    };
    for (int round = 0; round < 300; ++round) {
      const std::string& key = keys_[random() % 100'000];
      try {
        Remote remote = open(path, log);
        EXPECT_TRUE(remote.find(key).has_value());
      } catch (const Error& error) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 50);
    EXPECT_LT(refused, 300);
  }
}

TEST_F(RemoteTest, ALieIsAskedForAgain) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  Log log;
  Remote remote = open(path, log);
  log.change = [](Bytes& bytes) { bytes.front() ^= std::byte{1}; };
  EXPECT_NE(
      error_of(ErrorKind::corrupt, [&] { (void)remote.find(keys_[7]); }).find("fail the hash tree"),
      std::string::npos);
  log.change = {};
  EXPECT_TRUE(remote.find(keys_[7]).has_value());
}

TEST_F(RemoteTest, CutAnswersAreErrors) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  Log log;
  log.change = [](Bytes& bytes) { bytes.pop_back(); };
  error_of(ErrorKind::io, [&] { (void)open(path, log); });
  log.change = {};
  Remote remote = open(path, log);
  log.change = [](Bytes& bytes) { bytes.push_back({}); };
  error_of(ErrorKind::io, [&] { (void)remote.find(keys_[7]); });
}

TEST_F(RemoteTest, AnotherFileInBetweenIsAnError) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  Log log;
  Remote remote = open(path, log);
  std::swap(keys_.front(), keys_.back());
  const auto kept = shop_.at("kept.crv");
  std::filesystem::rename(path, kept);
  keys_.front() += "other";
  filter("ribbon", 400'000, 1.0 / 65536 / 256);
  std::ifstream in(path, std::ios::binary);
  const std::string other{std::istreambuf_iterator<char>(in), {}};
  // Written over, where the source has it open.
  std::ofstream(kept, std::ios::binary | std::ios::in).write(other.data(), 900'000);
  int wrong = 0;
  for (std::size_t i = 0; i < 400'000; i += 20'000) {
    try {
      wrong += remote.find(keys_[i]).has_value() ? 0 : 1;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 0);
}

/// A source of a file that was changed: the others are asked by whoever opens it again.
class StaleSource final : public ByteSource {
 public:
  StaleSource(const std::filesystem::path& path, const bool& is_stale)
      : file_(ByteSource::of_file(path)), is_stale_(is_stale) {}
  FileEnds ends(std::uint64_t head, std::uint64_t tail) override { return file_->ends(head, tail); }
  std::vector<Bytes> read(std::span<const ByteRange> ranges) override {
    if (is_stale_)
      throw Error(ErrorKind::io, "changed",
                  {.file = {}, .line = {}, .section = {}, .byte = {}, .system_error = ESTALE});
    return file_->read(ranges);
  }

 private:
  std::unique_ptr<ByteSource> file_;
  const bool& is_stale_;
};

/// Also after the new file could not be opened the first time.
TEST_F(RemoteTest, ChangesAreFollowed) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  const auto old = shop_.at("old.crv");
  std::filesystem::rename(path, old);
  filter("ribbon", 300'000, 1.0 / 65536 / 256);
  bool is_stale = false;
  bool is_there = false;
  const bool never = false;
  const RemoteOptions options{.open_again = [&]() -> std::unique_ptr<ByteSource> {
    if (!is_there) throw Error(ErrorKind::io, "away");
    return std::make_unique<StaleSource>(path, never);
  }};
  Remote remote = Remote::open(std::make_unique<StaleSource>(old, is_stale), options);
  EXPECT_TRUE(remote.find(keys_[350'000]).has_value());
  is_stale = true;
  EXPECT_EQ(error_of(ErrorKind::io, [&] { (void)remote.find(keys_[5]); }), "away");
  EXPECT_EQ(remote.index().size(), 400'000U);
  is_there = true;
  EXPECT_TRUE(remote.find(keys_[5]).has_value());
  EXPECT_FALSE(remote.find(keys_[350'000]).has_value());
  EXPECT_EQ(remote.index().size(), 300'000U);
  Remote other = Remote::open(std::make_unique<StaleSource>(old, is_stale));
  error_of(ErrorKind::io, [&] { (void)other.find(keys_[5]); });
}

TEST_F(RemoteTest, OnlyWhatIsSignedIsOpened) try {
  const auto path = filter("ribbon", 200'000);
  std::ofstream(shop_.at("key")) << test::kSecretKey;
  const SignSummary made = sign(path, {.secret_key = shop_.at("key"), .sequence = 4});
  std::ifstream in(made.output, std::ios::binary);
  RemoteOptions options{.trust = Trust{.keys = {PublicKey::parse(test::kPublicKey)}}};
  options.signature.assign(std::istreambuf_iterator<char>(in), {});
  Log log;
  Remote remote = open(path, log, options);
  EXPECT_EQ(remote.signature()->sequence, 4U);
  expect_as_here(path, remote);
  error_of(ErrorKind::corrupt, [&] { (void)open(filter("ribbon", 200'001), log, options); });
  options.trust->minimum_sequence = 5;
  error_of(ErrorKind::corrupt, [&] { (void)open(filter("ribbon", 200'000), log, options); });
  options.signature.clear();
  error_of(ErrorKind::corrupt, [&] { (void)open(path, log, options); });
} catch (const Error& error) {
  if (std::string(error.what()).find("libcrypto") == std::string::npos) throw;
  GTEST_SKIP() << error.what();
}

/// What a test does to a byte of a file that is open.
void flip(const std::filesystem::path& path, std::uint64_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const int byte = file.seekg(static_cast<std::streamoff>(at)).get();
  file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte ^ 1));
}

/// Of a file of this machine a lookup checks what it touches, and nothing else.
TEST_F(RemoteTest, FilesHereAreCheckedWhereTheyAreTouched) {
  const auto path = filter("ribbon", 400'000, 1.0 / 65536 / 256);
  Remote whole = Remote::open(path);
  expect_as_here(path, whole);
  const std::uint64_t at = std::filesystem::file_size(path) / 2;
  flip(path, at);
  Remote damaged = Remote::open(path);
  int refused = 0;
  for (std::size_t i = 0; i < 400'000; i += 1'000) {
    try {
      ASSERT_TRUE(damaged.find(keys_[i]).has_value()) << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      EXPECT_NE(std::string(error.what()).find("fail the hash tree"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 300);
  flip(path, at);
  for (std::size_t i = 0; i < 400'000; i += 1'000)
    ASSERT_TRUE(damaged.find(keys_[i]).has_value()) << i;
  flip(path, std::filesystem::file_size(path) - 50);  // in the table
  error_of(ErrorKind::corrupt, [&] { (void)Remote::open(path); });
}

TEST_F(RemoteTest, FilesHereAreOpenedByTheirSignature) try {
  const auto path = map({}, 200'000);
  const Trust trust{.keys = {PublicKey::parse(test::kPublicKey)}};
  error_of(ErrorKind::corrupt, [&] { (void)Remote::open(path, trust); });  // not signed
  std::ofstream(shop_.at("key")) << test::kSecretKey;
  (void)sign(path, {.secret_key = shop_.at("key"), .sequence = 4});
  Remote remote = Remote::open(path, trust);
  EXPECT_EQ(remote.signature()->sequence, 4U);
  expect_as_here(path, remote);
  map({}, 200'001);
  error_of(ErrorKind::corrupt, [&] { (void)Remote::open(path, trust); });
} catch (const Error& error) {
  if (std::string(error.what()).find("libcrypto") == std::string::npos) throw;
  GTEST_SKIP() << error.what();
}

TEST_F(RemoteTest, RefusesOtherFiles) {
  Log log;
  std::ofstream(shop_.at("empty")).close();
  error_of(ErrorKind::corrupt, [&] { (void)open(shop_.at("empty"), log); });
  std::ofstream(shop_.at("text")) << std::string(300'000, 'x');
  error_of(ErrorKind::corrupt, [&] { (void)open(shop_.at("text"), log); });
}

/// What a server's own table names is not read before the table was found to be the signed one.
TEST_F(RemoteTest, SignatureComesBeforeWhatTheTableNames) try {
  std::ofstream(shop_.at("key")) << test::kSecretKey;
  const SignSummary made = sign(filter("ribbon", 100), {.secret_key = shop_.at("key")});
  std::ifstream in(made.output, std::ios::binary);
  RemoteOptions options{.trust = Trust{.keys = {PublicKey::parse(test::kPublicKey)}}};
  options.signature.assign(std::istreambuf_iterator<char>(in), {});
  {
    file::PendingFile pending(file::OutputTarget::file(shop_.at("lie"), file::IfExists::refuse));
    file::ContainerWriter writer(pending);
    writer.begin_section(file::kDirectorySection).append(base::Bytes(std::size_t{1} << 20));
    file::Header header;
    header.kind = file::Kind::filter;
    writer.finish(header, {});
    (void)pending.publish();
  }
  Log log;
  error_of(ErrorKind::corrupt, [&] { (void)open(shop_.at("lie"), log, options); });
  EXPECT_EQ(log.calls, 0);
} catch (const Error& error) {
  if (std::string(error.what()).find("libcrypto") == std::string::npos) throw;
  GTEST_SKIP() << error.what();
}

}  // namespace
}  // namespace crivo
