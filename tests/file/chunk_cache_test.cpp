// SPDX-License-Identifier: Apache-2.0
// The cache on disk of what was fetched: what it gives, how large it is, and who shares it.

#include "file/chunk_cache.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "file/layout.hpp"
#include "hashing/sha256.hpp"
#include "support/temp_directory.hpp"

namespace crivo::file {
namespace {

class ChunkCacheTest : public testing::Test {
 protected:
  static base::Bytes chunk(unsigned number, std::size_t bytes = layout::kChunkBytes) {
    base::Bytes some(bytes);
    for (std::size_t i = 0; i < some.size(); ++i)
      some[i] = static_cast<std::byte>(number * 31 + i * (number + 1));
    return some;
  }
  /// How many of the chunks from 0 on the cache gives as they were kept.
  static unsigned found(ChunkCache& cache, unsigned chunks) {
    unsigned right = 0;
    for (unsigned i = 0; i < chunks; ++i) {
      const base::Bytes kept = chunk(i);
      base::Bytes read(kept.size());
      if (cache.read(hashing::sha256(kept), read) && read == kept) ++right;
    }
    return right;
  }
  static void keep(ChunkCache& cache, unsigned chunks) {
    for (unsigned i = 0; i < chunks; ++i) cache.keep(hashing::sha256(chunk(i)), chunk(i));
  }

  test::TempDirectory directory_;
  std::filesystem::path folder_ = directory_.path() / "some" / "cache";
};

TEST_F(ChunkCacheTest, GivesWhatWasKeptByItsHash) {
  ChunkCache cache(folder_, 64U << 20);
  EXPECT_EQ(found(cache, 20), 0U);
  keep(cache, 20);
  EXPECT_EQ(found(cache, 20), 20U);
  ChunkCache again(folder_, 64U << 20);
  EXPECT_EQ(found(again, 30), 20U);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{65535}}) {
    const base::Bytes some = chunk(7, bytes);
    const Digest hash = hashing::sha256(some);
    cache.keep(hash, some);
    base::Bytes read(bytes);
    EXPECT_TRUE(again.read(hash, read));
    EXPECT_EQ(read, some);
    base::Bytes longer(bytes + 1);
    EXPECT_FALSE(again.read(hash, longer));
  }
}

TEST_F(ChunkCacheTest, IsNoLargerThanItsSize) {
  ChunkCache cache(folder_, 16 * layout::kChunkBytes);
  keep(cache, 200);
  const unsigned kept = found(cache, 200);
  EXPECT_GE(kept, 8U);
  EXPECT_LE(kept, 16U);
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) bytes += entry.file_size();
  EXPECT_EQ(bytes, 16 * (layout::kChunkBytes + 16));
  ChunkCache least(folder_, 1);
  keep(least, 100);
  EXPECT_EQ(found(least, 100), 8U);
}

TEST_F(ChunkCacheTest, AnotherSizeBeginsAnew) {
  ChunkCache cache(folder_, 8 * layout::kChunkBytes);
  std::ofstream(folder_ / "other") << "kept";
  keep(cache, 3);
  ChunkCache larger(folder_, 32 * layout::kChunkBytes);
  EXPECT_EQ(found(larger, 3), 0U);
  EXPECT_EQ(found(cache, 3), 3U);  // which has its files open
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

TEST_F(ChunkCacheTest, IsSharedWithoutLocks) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      ChunkCache cache(folder_, 8 * layout::kChunkBytes);
      for (unsigned i = 0; i < 300; ++i) {
        const base::Bytes kept = chunk((i * 7 + thread) % 12);
        const Digest hash = hashing::sha256(kept);
        base::Bytes read(kept.size());
        // Another may be writing: then its hash tells.
        if (!cache.read(hash, read) || hashing::sha256(read) != hash) cache.keep(hash, kept);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ChunkCache cache(folder_, 8 * layout::kChunkBytes);
  keep(cache, 1);
  EXPECT_EQ(found(cache, 1), 1U);
}

}  // namespace
}  // namespace crivo::file
