// SPDX-License-Identifier: Apache-2.0
// What somebody can make a build, a lookup or a client spend by what he gives it: counted, not
// timed, at three sizes of each input and each remote answer. The table in tools/doc/promises.md
// has the same rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/dedup.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/index.hpp"
#include "crivo/remote.hpp"
#include "crivo/suffixes.hpp"
#include "support/compressed.hpp"
#include "support/moved_bytes.hpp"
#include "support/replaced_allocator.hpp"
#include "support/temp_directory.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> allocated_bytes{0};

}  // namespace

void* crivo::test::allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(size, std::memory_order_relaxed);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, std::max(whole, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

namespace crivo {
namespace {

/// What a piece of work takes.
struct Work {
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;  ///< in all, whenever they were given back
  std::uint64_t moved_bytes = 0;      ///< read and written by calls of the system
};

Work work_of(const std::function<void()>& run) {
  const std::uint64_t moved = test::moved_bytes();
  const Work before{allocations, allocated_bytes, moved};
  run();
  return {allocations - before.allocations, allocated_bytes - before.allocated_bytes,
          test::moved_bytes() - before.moved_bytes};
}

/// Ends with an error or not.
void attempt(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error&) {
  }
}

std::string repeated(std::string_view text, std::size_t times) {
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

std::string numbers(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i != count; ++i) lines += std::to_string(i * 7919) + '\n';
  return lines;
}

TEST_F(WorkTest, OfKeys) {
  expect_linear_of_file(60'000, numbers, [&] { build_filter(input(), at("out"), {}, options()); });
}

TEST_F(WorkTest, OfOneKeyAgainAndAgain) {
  expect_linear_of_file(
      60'000, [](std::size_t size) { return repeated("a\n", size); },
      [&] { build_filter(input(), at("out"), {}, options()); });
}

TEST_F(WorkTest, OfTextsInOrder) {
  expect_linear_of_file(30'000, numbers, [&] {
    SortOptions sorting;
    sorting.replace = true;
    sorting.resources = options().resources;
    sort_keys(input(), at("out"), sorting);
  });
}

TEST_F(WorkTest, OfADictionary) {
  expect_linear_of_file(30'000, numbers,
                        [&] { build_dictionary(input(), at("out"), {}, options(kLeast)); });
}

TEST_F(WorkTest, OfLinesSeenBefore) {
  expect_linear_of_file(30'000, numbers, [&] {
    std::filesystem::remove(at("seen"));
    DedupOptions seen;
    seen.seen = at("seen");
    seen.capacity = 1'000'000;
    seen.replace = true;
    dedup({at("input").string()}, at("out"), seen);
  });
}

/// Within memory and beyond it.
TEST_F(WorkTest, OfRecords) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1'000}}) {
    for (const bool ordered : {false, true}) {
      expect_linear_of_file(
          3'000,
          [&](std::size_t size) {
            std::string lines;
            for (std::size_t i = 0; i != size; ++i)
              lines += std::to_string(i) + '\t' + std::string(bytes, 'r') + '\n';
            return lines;
          },
          [&] {
            std::filesystem::remove_all(at("store"));
            build_store(input(), at("store"),
                        {.backend = "flat", .codec = "none", .ordered = ordered}, options());
          });
    }
  }
}

TEST_F(WorkTest, OfOneLongRecord) {
  expect_linear_of_file(
      1 << 20, [](std::size_t size) { return "key\t" + std::string(size, 'r') + "\n"; },
      [&] {
        std::filesystem::remove_all(at("store"));
        build_store(input(), at("store"), {.codec = "none"}, options());
      });
}

TEST_F(WorkTest, OfALineOfManyColumns) {
  for (const bool quotes : {false, true}) {
    expect_linear_of_file(
        1 << 18,
        [](std::size_t size) { return repeated("c,", size) + "k\n" + repeated(",", size) + "x\n"; },
        [&] {
          build_filter(input({.column_delimiter = ',',
                              .quotes = quotes,
                              .skip_header = true,
                              .key_name = "k"}),
                       at("out"), {}, options());
        });
  }
}

TEST_F(WorkTest, OfANestedObject) {
  expect_linear_of_file(
      1 << 18,
      [](std::size_t size) {
        return R"({"a":)" + repeated("[", size) + repeated("]", size) + R"(,"k":"key"})" + "\n";
      },
      [&] { attempt([&] { build_filter(input({.json_key = "k"}), at("out"), {}, options()); }); });
}

/// A host of dots, and a path of slashes: what is asked for has the square of its length in bytes,
/// and so the length is bounded.
TEST_F(WorkTest, OfWhatHasManyParts) {
  write("input", "com\nexample\n");
  build_dictionary(input(), at("rules"), {}, options(kLeast));
  build_filter(input(), at("set"), {.bits = 8}, options());
  const auto rules = OpenIndex::open(at("rules"));
  const auto set = OpenIndex::open(at("set"));
  std::string asked;
  const auto make = [&](std::size_t size) { asked = std::string(size, '.') + "com"; };
  expect_linear(1 << 12, make, [&] {
    const std::string_view host = asked;
    attempt([&] {
      answer_public_suffixes(*rules, {&host, 1},
                             [](std::string_view, const PublicSuffix&, const Answer&) {});
    });
    attempt([&] {
      set->answer_suffixes({&host, 1}, '.',
                           [](std::string_view, std::string_view, const Answer&) {});
    });
  });
  expect_linear_of_file(
      1 << 12, [](std::size_t size) { return repeated("/", size) + "\n"; },
      [&] { attempt([&] { build_filter(input(), at("out"), {.prefixes = "/"}, options()); }); });
}

std::string warc_record(const std::string& more, const std::string& page) {
  return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://host/\r\n"
         "Content-Type: application/http\r\n" +
         more + "Content-Length: " + std::to_string(page.size()) + "\r\n\r\n" + page + "\r\n\r\n";
}

TEST_F(WorkTest, OfCollections) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  const std::vector<std::function<std::string(std::size_t)>> files{
      [&](std::size_t size) { return repeated(warc_record("", head + "\r\nword"), size); },
      [&](std::size_t size) { return warc_record(repeated("X: y\r\n", size), head + "\r\nword"); },
      [&](std::size_t size) { return warc_record("", head + repeated("X: y\r\n", size) + "\r\n"); },
      [&](std::size_t size) { return warc_record("", head + "\r\n" + repeated("<a ", size)); },
      [&](std::size_t size) { return warc_record("", head + "\r\n" + repeated("&", size)); },
      [&](std::size_t size) { return warc_record("", head + "\r\n" + repeated("<!--", size)); },
      [&](std::size_t size) { return warc_record("", head + "\r\n" + repeated("a b ", size)); },
      [&](std::size_t size) {
        return warc_record(
            "", head + "Transfer-Encoding: chunked\r\n\r\n" + repeated("1\r\na\r\n", size));
      },
      [&](std::size_t size) {
        return warc_record("", head + "Content-Encoding: gzip\r\n\r\n" +
                                   test::gzip(std::string(1'000 * size, 'a')));
      },
      [&](std::size_t size) { return repeated("<DOC>\n<DOCNO>1</DOCNO>\nword\n</DOC>\n", size); },
      [&](std::size_t size) { return "<DOC>\n<DOCNO>1</DOCNO>\n" + repeated("<DOC>\n", size); },
  };
  for (const auto& file : files) {
    expect_linear_of_file(2'000, file, [&] {
      ExtractSummary summary;
      SortOptions sorting;
      sorting.unique = true;
      sorting.replace = true;
      sorting.resources = options().resources;
      attempt([&] {
        sort_keys(extracted_keys({at("input").string()}, {.what = Extract::terms}, summary),
                  at("out"), sorting);
      });
    });
  }
}

/// Whatever a file holds, opening it reads its ends.
TEST_F(WorkTest, OfOpening) {
  expect_linear(
      20'000,
      [&](std::size_t size) {
        write("input", numbers(size));
        build_filter(input(), at("out"), {}, options());
      },
      [&] {
        const Work opening = work_of([&] { (void)Filter::open(at("out")); });
        EXPECT_LT(opening.allocated_bytes, 2 * kAny);
        EXPECT_LT(opening.moved_bytes, kAny);
      });
}

/// A server that says of each thing that it is longer than it is, and sends what it is asked for.
class Generous final : public ByteSource {
 public:
  Generous(const std::filesystem::path& path, std::uint64_t length)
      : file_(ByteSource::of_file(path)), length_(length) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    FileEnds ends = file_->ends(head, tail);
    ends.length = std::max(ends.length, length_);
    return ends;
  }
  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all;
    for (const ByteRange& range : ranges) all.emplace_back(range.length);
    return all;
  }

 private:
  std::unique_ptr<ByteSource> file_;
  std::uint64_t length_;
};

TEST_F(WorkTest, OfARemoteFile) {
  write("input", numbers(300'000));
  build_filter(input(), at("out"), {}, options());
  for (const unsigned bits : {0U, 30U, 40U, 50U, 62U}) {
    const Work asking = work_of([&] {
      attempt([&] {
        Remote remote =
            Remote::open(std::make_unique<Generous>(at("out"), std::uint64_t{1} << bits), {});
        (void)remote.find("key");
      });
    });
    EXPECT_LT(asking.allocated_bytes, 4 * kAny) << bits;
    EXPECT_LT(asking.allocations, 5'000U) << bits;
  }
}

TEST_F(WorkTest, OfLookupsInARemoteFile) {
  for (const std::size_t size : {20'000U, 80'000U, 320'000U}) {
    write("input", numbers(size));
    build_filter(input(), at("out"), {}, options());
    const Work asking = work_of([&] {
      Remote remote = Remote::open(ByteSource::of_file(at("out")), {});
      EXPECT_TRUE(remote.find("0").found);
    });
    EXPECT_LT(asking.allocated_bytes, 2 * kAny) << size;
    EXPECT_LT(asking.moved_bytes, kAny) << size;
  }
}

}  // namespace
}  // namespace crivo
