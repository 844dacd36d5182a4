// SPDX-License-Identifier: Apache-2.0
// Builds take one sample of their input, in every framing.

#include "build/build_frame.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "index/key_sets.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::test {
namespace {

/// The bytes that this process has read so far.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  file >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST(BuildFrame, TakesOneSampleOfItsInput) {
  const Workshop shop;
  const KeyInput input = shop.input(numbered_keys(400'000));
  const BuildOptions options = Workshop::options();  // the frame refers to them
  index::BuildFrame frame(options);
  const index::MemoryNeed need{.key_bytes = 1};
  const std::uint64_t before = bytes_read();
  frame.prepare(input, index::Units::keys, need, {{"filter", 1}});
  const std::uint64_t sample = bytes_read() - before;
  EXPECT_GE(sample, 32U << 14);  // of input::sample_input()
  EXPECT_LT(sample, 40U << 14);
}

/// The part of a build that the plan has for reading an input of `units`.
double share_of_reading(const KeyInput& input, index::Units units) {
  Progress progress;
  BuildOptions options = Workshop::options();
  options.resources.progress = &progress;
  index::BuildFrame frame(options);
  frame.prepare(input, units, {}, {{"map", 100}});
  progress.begin("hash", 1);
  progress.add(1);
  return progress.fraction().value_or(0);
}

TEST(BuildFrame, AKeyWithItsValueIsOneUnitInEveryFraming) {
  const Workshop shop;
  const Keys keys = numbered_keys(1000);
  const KeyInput ended_by_nul = shop.pairs(keys, keys);
  std::string text;
  for (const std::string& key : keys) text.append(key).append("\t").append(key).append("\n");
  const KeyInput lines = shop.write("lines", text, {});
  for (const auto units : {index::Units::values, index::Units::records}) {
    EXPECT_DOUBLE_EQ(share_of_reading(ended_by_nul, units), share_of_reading(lines, units));
  }
  EXPECT_LT(share_of_reading(ended_by_nul, index::Units::keys),
            share_of_reading(ended_by_nul, index::Units::values));  // twice as many, half as long
}

}  // namespace
}  // namespace crivo::test
