// SPDX-License-Identifier: Apache-2.0
// What memory there is, read from files made for the purpose.

#include "base/memory_limit.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temp_directory.hpp"

namespace crivo::base {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

class MemoryLimit : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const auto file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void machine(std::uint64_t kilobytes, std::uint64_t swap = 0) const {
    write("proc/meminfo",
          "MemTotal:       99999999 kB\nMemAvailable:   " + std::to_string(kilobytes) +
              " kB\nSwapTotal: 7 kB\nSwapFree:  " + std::to_string(swap) + " kB\n");
  }
  AvailableMemory available() const { return available_memory(root_.path()); }

  const test::TempDirectory root_;
};

TEST_F(MemoryLimit, IsNoneWhereNothingTells) {
  EXPECT_EQ(available().bytes, UINT64_MAX);
  EXPECT_EQ(available().limit, "");
}

TEST_F(MemoryLimit, OfTheMachine) {
  machine(5000, 100);
  EXPECT_EQ(available().bytes, 5100U * 1024);
  EXPECT_NE(available().limit.find("MemAvailable"), std::string::npos);
}

TEST_F(MemoryLimit, OfTheGroupAndOfThoseAbove) {
  machine(8'000'000);
  write("proc/self/cgroup", "0::/jobs/one/step\n");
  const std::string jobs = "sys/fs/cgroup/jobs/";
  write(jobs + "one/step/memory.max", "max\n");
  write(jobs + "one/memory.max", "700000000\n");
  write(jobs + "one/memory.current", "300000000\n");
  EXPECT_EQ(available().bytes, 400 * kMega);
  EXPECT_NE(available().limit.find("jobs/one/memory.max"), std::string::npos);
  // Page cache gives way.
  write(jobs + "one/memory.stat",
        "anon 1\nfile 250000000\ninactive_file 150000000\nactive_file 50000000\n");
  EXPECT_EQ(available().bytes, 600 * kMega);
  write(jobs + "memory.max", "500000000\n");
  write(jobs + "memory.current", "450000000\n");
  EXPECT_EQ(available().bytes, 50 * kMega);
  write(jobs + "memory.current", "600000000\n");  // over it: nothing is left
  EXPECT_EQ(available().bytes, 0U);
}

TEST_F(MemoryLimit, SwapCountsAsFarAsTheGroupMayHaveIt) {
  machine(8'000'000, 200'000);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "500000000\n");
  write("sys/fs/cgroup/memory.current", "0\n");
  EXPECT_EQ(available().bytes, 500 * kMega + 200'000U * 1024);
  write("sys/fs/cgroup/memory.swap.max", "30000000\n");
  write("sys/fs/cgroup/memory.swap.current", "10000000\n");
  EXPECT_EQ(available().bytes, 520 * kMega);
}

TEST_F(MemoryLimit, OfVersionOneWhereTheGroupOfTheHostIsNotSeen) {
  machine(8'000'000);
  write("proc/self/cgroup", "9:cpu,cpuacct:/docker/abc\n5:memory:/docker/abc\n0::/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000000\n");
  write("sys/fs/cgroup/memory/memory.stat",
        "inactive_file 1\ntotal_inactive_file 60000000\ntotal_active_file 40000000\n");
  EXPECT_EQ(available().bytes, 200 * kMega);
}

TEST_F(MemoryLimit, OfVersionOneWithoutALimit) {
  machine(1000);
  write("proc/self/cgroup", "5:memory:/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(available().bytes, 1000U * 1024);
}

TEST_F(MemoryLimit, OfFilesThatAreNotAsTheyShouldBe) {
  machine(1000);
  write("proc/self/cgroup", "\nnothing\n0:\n0::\n::::\n");
  write("sys/fs/cgroup/memory.max", "much\n");
  write("sys/fs/cgroup/memory.stat", "inactive_file\n\ninactive_file x\n");
  EXPECT_EQ(available().bytes, 1000U * 1024);
}

}  // namespace
}  // namespace crivo::base
