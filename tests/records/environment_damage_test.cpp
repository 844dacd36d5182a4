// SPDX-License-Identifier: Apache-2.0
/// Damaged environments: whatever happens to data.mdb, open and find report it or answer rightly.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <random>

#include "records/backends/lmdb/build/environment_writer.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"
#include "store_fixture.hpp"
#include "stream/run_log.hpp"

namespace crivo::records {
namespace {

using test::Records;

// A store whose B+tree has branch pages, and whose file can be damaged and mended.
class DamagedEnvironment : public testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;

  DamagedEnvironment()
      : records_(some_records()),
        built_(
            test::write_environment(directory_.path(), records_, 1, 0, test::codec(CodecId::none))),
        path_(directory_.path() / "data.mdb"),
        original_(test::file_bytes(path_)),
        fd_(::open(path_.c_str(), O_RDWR)) {
    for (std::size_t page = 0; page < pages(); ++page) {
      const auto flags = static_cast<unsigned char>(original_[page * kPage + 10]);
      if (flags == 4) {  // a run of overflow pages
        page += base::load_le<std::uint32_t>(&original_[page * kPage + 12]) - 1;
      } else {
        structure_pages_.push_back(page);
      }
    }
  }
  ~DamagedEnvironment() override { ::close(fd_); }

  // So many groups that branch pages lead to them: every twentieth record is longer than half of
  // one.
  static Records some_records() {
    Records records = test::random_records(3600, 100);
    std::mt19937_64 random(4);
    for (std::size_t i = 0; i < records.size(); i += 20)
      records[i].second = test::random_bytes(random, 40'000);
    return records;
  }

  std::size_t pages() const { return original_.size() / kPage; }

  void put(std::size_t offset, char byte) {
    ASSERT_EQ(::pwrite(fd_, &byte, 1, static_cast<off_t>(offset)), 1);
  }
  void flip(std::size_t offset, char mask) {
    put(offset, static_cast<char>(original_[offset] ^ mask));
  }
  void mend(std::size_t offset) { put(offset, original_[offset]); }

  // Finds `count` records around the share of the file where `offset` is: none may be wrong.
  // Returns the number that are reported as damaged.
  std::size_t find_around(const Environment& environment, std::size_t offset,
                          std::size_t count) const {
    EnvironmentReader reader(environment);
    const std::size_t middle = records_.size() * offset / original_.size();
    const std::size_t begin =
        std::min(middle - std::min(middle, count / 2), records_.size() - count);
    std::size_t damaged = 0;
    for (std::size_t rank = begin; rank < begin + count; ++rank) {
      const Lookup lookup = reader.find(rank, records_[rank].first);
      if (lookup.outcome == Outcome::damaged) {
        ++damaged;
      } else {
        EXPECT_EQ(lookup.outcome, Outcome::found);
        EXPECT_TRUE(lookup.record == records_[rank].second);
      }
    }
    return damaged;
  }

  // A version is read before the sum that it has a part in.
  static void expect_of_damage(const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new)
        << error.what();
  }

  ErrorKind open_error() const {
    return test::error_of(
               [&] { Environment(directory_.path(), built_.section, built_.codec).records(); })
        .first;
  }

  test::TempDirectory directory_;
  Records records_;
  FinishedEnvironment built_;
  std::filesystem::path path_;
  std::string original_;
  int fd_;
  std::vector<std::size_t> structure_pages_;
};

TEST_F(DamagedEnvironment, HasBranchPages) {
  const auto is_branch = [&](std::size_t page) { return original_[page * kPage + 10] == 1; };
  EXPECT_TRUE(std::ranges::any_of(structure_pages_, is_branch));
  EXPECT_LT(structure_pages_.size(), pages() / 50);
}

TEST_F(DamagedEnvironment, EveryTruncationIsRefused) {
  std::mt19937_64 random(1);
  std::vector<std::size_t> sizes = {0,
                                    1,
                                    16,
                                    151,
                                    152,
                                    kPage - 1,
                                    kPage,
                                    kPage + 1,
                                    2 * kPage,
                                    original_.size() - kPage,
                                    original_.size() - 1};
  while (sizes.size() < 110) sizes.push_back(random() % original_.size());
  std::ranges::sort(sizes, std::greater<>());
  for (const std::size_t size : sizes) {
    ASSERT_EQ(::ftruncate(fd_, static_cast<off_t>(size)), 0);
    ASSERT_EQ(open_error(), ErrorKind::corrupt) << size;
  }
}

TEST_F(DamagedEnvironment, AppendedBytesAreRefused) {
  ASSERT_EQ(::ftruncate(fd_, static_cast<off_t>(original_.size() + kPage)), 0);
  EXPECT_EQ(open_error(), ErrorKind::corrupt);
}

TEST_F(DamagedEnvironment, EveryFlippedByteOfTheMetaPagesIsRefused) {
  for (std::size_t offset = 0; offset < 2 * kPage; ++offset) {
    flip(offset, static_cast<char>(1 << offset % 8));
    ASSERT_EQ(open_error(), ErrorKind::corrupt) << offset;
    mend(offset);
  }
}

TEST_F(DamagedEnvironment, FlippedBytesAnywhereAreReportedOrHarmless) {
  std::mt19937_64 random(2);
  std::size_t opened = 0;
  std::size_t damaged = 0;
  for (int i = 0; i < 1000; ++i) {
    // Half of them in LMDB's own pages.
    const std::size_t page =
        i % 2 == 0 ? structure_pages_[random() % structure_pages_.size()] : random() % pages();
    const std::size_t offset = page * kPage + random() % kPage;
    flip(offset, static_cast<char>(1 + random() % 255));
    try {
      const Environment environment(directory_.path(), built_.section, built_.codec);
      ++opened;
      damaged += find_around(environment, offset, 60) > 0 ? 1U : 0U;
      base::Progress progress;
      ASSERT_EQ(test::error_of([&] { environment.verify(progress); }).first, ErrorKind::corrupt);
    } catch (const Error& error) {
      expect_of_damage(error);
    }
    mend(offset);
  }
  EXPECT_GT(opened, 400U);
  EXPECT_GT(damaged, 350U);
}

// As above, but the section's checksum fits the damaged pages, as in a file made to deceive: then
// only the walk over the tree protects LMDB.
TEST_F(DamagedEnvironment, APageThatItsChecksumFitsIsStillSafeToRead) {
  const base::FileDescriptor file = base::FileDescriptor::open_to_read(path_);
  std::mt19937_64 random(3);
  std::vector<std::size_t> offsets;
  for (const std::size_t page : structure_pages_) {
    const std::size_t upper = base::load_le<std::uint16_t>(&original_[page * kPage + 14]);
    for (std::size_t byte = 0; byte < 200; ++byte) offsets.push_back(page * kPage + byte);
    for (int i = 0; page > 1 && i < 200; ++i) {
      offsets.push_back(page * kPage + upper + random() % (kPage - upper));
    }
  }
  std::size_t opened = 0;
  for (const std::size_t offset : offsets) {
    flip(offset, static_cast<char>(1 + random() % 255));
    try {
      EnvironmentSection section = EnvironmentSection::decode(built_.section);
      const TreeScan scan = scan_tree(file, section.page_size);
      section.structure_hash = scan.structure_hash;
      section.groups = scan.groups;
      section.max_group = scan.max_group;
      if (scan.identity) section.content_id = scan.identity->content_id;
      const Environment environment(directory_.path(), section.encode(), built_.codec);
      ++opened;
      EnvironmentReader reader(environment);
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t rank = i * 50;
        const Lookup lookup = reader.find(rank, records_[rank].first);
        ASSERT_TRUE(lookup.outcome != Outcome::found || lookup.record == records_[rank].second);
      }
    } catch (const Error& error) {
      expect_of_damage(error);
    }
    mend(offset);
  }
  EXPECT_GT(opened, 50U);
}

// The first of two damaged units, by rank, with its byte; and that it is none, of a byte between.
TEST_F(DamagedEnvironment, VerifyNamesThePlace) {
  const Environment environment(directory_.path(), built_.section, built_.codec);
  const auto error = [&] {
    base::Progress progress;
    return test::error_of([&] { environment.verify(progress, {}, 3); }).second;
  };
  const std::size_t later = original_.find(records_[2345].second);
  const std::size_t first = original_.find(records_[1234].second);
  ASSERT_NE(first, std::string::npos);
  flip(later, 1);
  flip(first, 1);
  const std::size_t unit = first - records_[1234].first.size() - 5;  // after its check and head
  const std::string damaged = error();
  EXPECT_EQ(damaged, path_.string() + ": damaged: the unit that begins with rank 1234, at byte " +
                         std::to_string(unit) + " of the file");
  mend(first);
  EXPECT_NE(error().find("rank 2345,"), std::string::npos);
  mend(later);
  flip(original_.size() - 1, 1);  // after the identity, or the last group
  EXPECT_NE(error().find("between the records"), std::string::npos);
}

TEST_F(DamagedEnvironment, EveryFlippedByteOfTheSectionIsRefusedOrFoundByVerify) {
  for (std::size_t i = 0; i < built_.section.size(); ++i) {
    base::Bytes section = built_.section;
    section[i] ^= std::byte{0x10};
    try {
      const Environment environment(directory_.path(), section, built_.codec);
      find_around(environment, 0, 100);
      base::Progress progress;
      // The number of units is for people, and the container has a checksum.
      environment.verify(progress);
      const EnvironmentSection changed = EnvironmentSection::decode(section);
      EXPECT_NE(changed.units, EnvironmentSection::decode(built_.section).units) << i;
    } catch (const Error& error) {
      ASSERT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new) << i;
    }
  }
  for (std::size_t size = 0; size < built_.section.size(); ++size) {
    EXPECT_EQ(test::error_of([&] {
                EnvironmentSection::decode(base::ByteView(built_.section).first(size));
              }).first,
              ErrorKind::corrupt);
  }
}

TEST(DamagedCodecSection, IsRefused) {
  const test::TempDirectory directory;
  for (const CodecType& type : codec_types()) {
    const FinishedEnvironment built = test::write_environment(
        directory.path(), test::text_records(2000), 1, 0, test::codec(type.id));
    const auto open = [&](base::ByteView section) {
      return test::error_of(
                 [&] { Environment(directory.path(), built.section, section).records(); })
          .first;
    };
    for (std::size_t i = 0; i < built.codec.size(); i += i < 40 ? 1 : 997) {
      base::Bytes damaged = built.codec;
      damaged[i] ^= std::byte{0x10};
      const ErrorKind kind = open(damaged);
      ASSERT_TRUE(kind == ErrorKind::corrupt || (kind == ErrorKind::too_new && i < 8)) << i;
    }
    for (std::size_t size = 0; size < built.codec.size(); size += size < 40 ? 1 : 997) {
      ASSERT_EQ(open(base::ByteView(built.codec).first(size)), ErrorKind::corrupt) << size;
    }
    std::filesystem::remove(directory.path() / "data.mdb");
  }
}

// While it lives, no file can grow beyond `bytes`: what a full disk does, EFBIG in place of ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(FullDisk, IsAnIoErrorAtWhateverLength) {
  const base::Bytes value(50'000);
  for (const rlim_t limit :
       {0, 100, 4096, 8192, 10000, 1'000'000, 16'700'000, 17'000'000, 20'000'000}) {
    const test::TempDirectory directory;
    const FileSizeLimit full(limit);
    const auto [kind, message] = test::error_of([&] {
      const file::PendingFile file(
          file::OutputTarget::file(directory.path() / "data.mdb", file::IfExists::replace));
      LmdbAppender appender(file);
      for (std::uint64_t key = 0; key < 405; ++key)
        appender.append(key, value);  // two transactions
      appender.finish();
    });
    EXPECT_EQ(kind, ErrorKind::io) << limit;
    EXPECT_NE(message.find("data.mdb"), std::string::npos) << message;
  }
}

TEST(FullDisk, IsAnIoErrorOfTheWriter) {
  const test::TempDirectory directory;
  const Records records = test::text_records(1000);
  const FileSizeLimit full(20'000);
  EXPECT_EQ(test::error_of([&] { test::write_environment(directory.path(), records); }).first,
            ErrorKind::io);
}

TEST(FullDisk, IsAnIoErrorOfTheLogToo) {
  const test::TempDirectory directory;
  stream::RunLog log(directory.path(), 1, 1, 0);
  const FileSizeLimit full(100'000);
  const auto fill = [&] {
    for (int i = 0; i < 1000; ++i) (void)log.add(0, 0, 700);
  };
  EXPECT_EQ(test::error_of(fill).first, ErrorKind::io);
}

}  // namespace
}  // namespace crivo::records
