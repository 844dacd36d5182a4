// SPDX-License-Identifier: Apache-2.0
/// What a piece of work takes, counted at three sizes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "support/moved_bytes.hpp"
#include "support/temp_directory.hpp"

namespace crivo {

/// By this process, so far.
inline std::atomic<std::uint64_t> allocations{0};
inline std::atomic<std::uint64_t> allocated_bytes{0};

/// What a piece of work takes.
struct Work {
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;  ///< in all, whenever they were given back
  std::uint64_t moved_bytes = 0;      ///< read and written by calls of the system
};

inline Work work_of(const std::function<void()>& run) {
  const std::uint64_t moved = test::moved_bytes();
  const Work before{allocations, allocated_bytes, moved};
  run();
  return {allocations - before.allocations, allocated_bytes - before.allocated_bytes,
          test::moved_bytes() - before.moved_bytes};
}

/// Ends with an error or not.
inline void attempt(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error&) {
  }
}

inline std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i != times; ++i) all += text;
  return all;
}

class WorkTest : public testing::Test {
 protected:
  /// Expects that a size four times as large takes at most five times the allocations, beside what
  /// any takes, and that of the input and of each of its units so many bytes are moved at most:
  /// beyond the budget each is written and read. `make` prepares what `run` is given, uncounted.
  void expect_linear(std::size_t least, const std::function<void(std::size_t size)>& make,
                     const std::function<void()>& run) {
    make(least);
    run();  // what is made once
    Work before{};
    for (const std::size_t size : {least, 4 * least, 16 * least}) {
      make(size);
      const Work now = work_of(run);
      EXPECT_LE(now.moved_bytes, 12 * input_bytes() + 128 * size + kAny) << size;
      if (before.allocations != 0) {
        EXPECT_LE(now.allocations, 5 * before.allocations + 1'000) << size;
        EXPECT_LE(now.allocated_bytes, 5 * before.allocated_bytes + kAny) << size;
      }
      before = now;
    }
  }
  /// Of a file of these bytes.
  void expect_linear_of_file(std::size_t least, const std::function<std::string(std::size_t)>& text,
                             const std::function<void()>& run) {
    expect_linear(
        least, [&](std::size_t size) { write("input", text(size)); }, run);
  }

  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  std::filesystem::path at(const std::string& name) const { return directory_.path() / name; }
  KeyInput input(const KeyFormat& format = {}) const { return {{at("input").string()}, format}; }
  std::uint64_t input_bytes() const {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(at("input"), missing);
    return missing ? 0 : bytes;
  }
  BuildOptions options(std::uint64_t memory = kBudget) const {
    BuildOptions options;
    options.replace = true;
    options.ignore_duplicates = true;
    options.resources = {.threads = 1, .memory = memory, .temp_dir = directory_.path()};
    return options;
  }

  static constexpr std::uint64_t kBudget = std::uint64_t{9} << 20;
  static constexpr std::uint64_t kLeast = std::uint64_t{24} << 20;  ///< of a dictionary
  static constexpr std::uint64_t kAny = std::uint64_t{1} << 20;

 private:
  test::TempDirectory directory_;
};

inline std::string numbers(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i != count; ++i) lines += std::to_string(i * 7919) + '\n';
  return lines;
}

}  // namespace crivo
