// SPDX-License-Identifier: Apache-2.0
// What somebody can make a build, a lookup or a client spend by what he gives it: counted, not
// timed, at three sizes of each input and each remote answer. The table in tools/doc/promises.md
// has the same rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/build.hpp"
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
#include "support/replaced_allocator.hpp"
#include "work/counted_work.hpp"

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

TEST_F(WorkTest, OfKeys) {
  expect_linear_of_file(60'000, numbers, [&] { build_filter(input(), at("out"), {}, options()); });
}

TEST_F(WorkTest, OfOneKeyAgainAndAgain) {
  expect_linear_of_file(
      60'000, [](std::size_t size) { return repeated("a\n", size); },
      [&] { build_filter(input(), at("out"), {}, options()); });
}

/// Filters of hashes that need no order are built in the memory that is given, alone.
TEST_F(WorkTest, OfHashesInMemoryNothingIsAllocated) {
  std::vector<std::uint64_t> hashes(50'000);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = (i + 1) * 0x9e3779b97f4a7c15U;
  for (const std::string_view type : {"split-block-bloom", "bloom"}) {
    const HashFilterOptions options{.type = type, .fpr = 0.01};
    std::vector<std::byte> room(filter_hashes_bytes(hashes.size(), options));
    const std::uint64_t before = allocations.load();
    EXPECT_EQ(filter_hashes_bytes(hashes.size(), options), room.size());
    EXPECT_EQ(build_filter_hashes(hashes, room, options), room.size());
    EXPECT_EQ(allocations.load(), before) << type;
  }
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
    for (const auto& [backend, ordered] :
         {std::pair{"flat", false}, std::pair{"flat", true}, std::pair{"lmdb", false}}) {
      expect_linear_of_file(
          3'000,
          [&](std::size_t size) {
            std::string lines;
            for (std::size_t i = 0; i != size; ++i)
              lines += std::to_string(i) + '\t' + std::string(bytes, 'r') + '\n';
            return lines;
          },
          [&, backend = backend, ordered = ordered] {
            std::filesystem::remove_all(at("store"));
            build_store(input(), at("store"),
                        {.backend = backend, .codec = "none", .ordered = ordered}, options());
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
        return warc_record("", head + "Transfer-Encoding: chunked\r\n\r\n" +
                                   repeated("1\r\na\r\n", size) + "0\r\n\r\n");
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
      EXPECT_TRUE(remote.find("0"));
    });
    EXPECT_LT(asking.allocated_bytes, 2 * kAny) << size;
    EXPECT_LT(asking.moved_bytes, kAny) << size;
  }
}

}  // namespace
}  // namespace crivo
