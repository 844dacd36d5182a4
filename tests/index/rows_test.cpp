// SPDX-License-Identifier: Apache-2.0
// Indexes of rows, built and looked up through the public API.

#include "crivo/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "crivo/build/edit.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

/// Where a key is.
struct Place {
  std::string file;
  std::uint64_t row = 0;
};
using Table = std::map<std::string, Place>;

/// `keys` keys in random rows of files whose names have lines, quotes and prefixes of each other.
Table random_table(std::uint64_t keys, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> names{"a.parquet", "a.parquet2", "b'\";.csv", "c\td", "z/\xff"};
  Table table;
  std::map<std::string, std::vector<bool>> taken;
  while (table.size() < keys) {
    const std::string& name = names[random() % names.size()];
    const std::uint64_t row = random() % (4 * keys + 1);
    auto& rows = taken[name];
    if (rows.size() <= row) rows.resize(row + 1);
    if (rows[row]) continue;
    rows[row] = true;
    table["key " + std::to_string(table.size())] = {name, row};
  }
  return table;
}

std::string lines_of(const Table& table) {
  std::string lines;
  for (const auto& [key, place] : table)
    lines += key + '\t' + place.file + '\t' + std::to_string(place.row) + '\n';
  return lines;
}

/// Every way of asking gives each key its row.
void expect_rows(const Rows& rows, const Table& table) {
  ASSERT_EQ(rows.size(), table.size());
  std::vector<std::string> keys;
  for (const auto& [key, place] : table) keys.push_back(key);
  std::vector<Rows::Answer> answers(keys.size());
  rows.lookup(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Place& place = table.at(keys[i]);
    for (const Rows::Answer& answer :
         {answers[i], rows.lookup(keys[i]), rows.lookup(rows.hash_function()(keys[i]))}) {
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->file, place.file);
      EXPECT_EQ(rows.file(answer->file_number), place.file);
      EXPECT_EQ(answer->row, place.row);
      EXPECT_FALSE(answer->group);
    }
  }
}

TEST(Rows, GiveEachKeyItsRow) {
  const Workshop shop;
  for (const std::uint64_t n : {0U, 1U, 2U, 100U, 3'000U, 70'000U}) {
    const Table table = random_table(n, 1);
    const KeyInput input = shop.write("rows", lines_of(table), {});
    const BuildSummary summary =
        build_rows(input, shop.at("out"), {.signature_bits = 0}, Workshop::options());
    EXPECT_EQ(summary.keys, n);
    EXPECT_EQ(summary.kind, "rows");
    const Rows rows = Rows::open(shop.at("out"));
    expect_rows(rows, table);
    EXPECT_EQ(verify_keys(shop.at("out"), input, {.resources = {.threads = 2}}), n);
    rows.verify();
  }
}

TEST(Rows, AreTheSameInAnyOrderOfTheInput) {
  const Workshop shop;
  const Table table = random_table(5'000, 2);
  const std::string lines = lines_of(table);
  std::vector<std::string> backwards;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin) + 1;
    backwards.insert(backwards.begin(), lines.substr(begin, end - begin));
    begin = end;
  }
  std::string other;
  for (const std::string& line : backwards) other += line;
  const auto digest = [&](const std::string& text, unsigned threads) {
    return build_rows(shop.write("rows", text, {}), shop.at("out"), {}, Workshop::options(threads))
        .digest;
  };
  EXPECT_EQ(digest(lines, 1), digest(other, 3));
}

/// Of so many keys that are in no row, at most those that a signature lets through, and some more.
void expect_refused(const Rows& rows, unsigned bits, unsigned asked, const std::string& of) {
  unsigned found = 0;
  for (unsigned i = 0; i < asked; ++i) found += rows.lookup(of + std::to_string(i)) ? 1 : 0;
  const double mean = std::ldexp(asked, -static_cast<int>(bits));
  EXPECT_LE(found, mean + 5 * std::sqrt(mean) + 5) << bits;
  if (mean > 100) {
    EXPECT_GE(found, mean / 4) << bits;  // numbers beyond the last row are absent, too
  }
}

TEST(Rows, RefuseAbsentKeysAtTheRateOfSignatures) {
  const Workshop shop;
  const KeyInput input = shop.write("rows", lines_of(random_table(1'000, 3)), {});
  for (const unsigned bits : {8U, 16U, 32U}) {
    for (const bool many : {false, true}) {
      build_rows(input, shop.at("out"), {.signature_bits = bits, .many = many},
                 Workshop::options());
      const Rows rows = Rows::open(shop.at("out"));
      EXPECT_EQ(rows.signature_bits(), bits);
      expect_refused(rows, bits, 100'000, "other ");
    }
  }
}

/// Random tables, in indexes of any form and in layers, beside maps in memory: each key has its
/// rows and no other. CRIVO_LONG=1: 10,000 tables in the place of 60.
TEST(Rows, AreThoseOfMapsInMemory) {
  const Workshop shop;
  std::mt19937_64 random(17);
  const bool is_long = std::getenv("CRIVO_LONG") != nullptr;
  for (unsigned round = 0; round < (is_long ? 10'000U : 60U); ++round) {
    const std::uint64_t n = random() % (random() % 8 == 0 ? 3'000 : 60);
    Table table = random_table(n, round);
    const bool many = random() % 2 == 0;
    const RowsOptions options{.signature_bits = many || random() % 2 == 0 ? 16U : 32U,
                              .many = many};
    std::multimap<std::string, Place> all(table.begin(), table.end());
    for (const auto& [key, place] : table) {
      if (!many || random() % 3 != 0) continue;
      for (std::uint64_t i = random() % 4; i != 0; --i) all.emplace(key, Place{"more", all.size()});
    }
    std::string lines;
    for (const auto& [key, place] : all)
      lines += key + '\t' + place.file + '\t' + std::to_string(place.row) + '\n';
    build_rows(shop.write("rows", lines, {}), shop.at("out"), options, Workshop::options());
    if (random() % 3 == 0) {  // and a layer, whose keys have another row now
      std::string newer;
      for (const auto& [key, place] : table) {
        if (random() % 4 != 0) continue;
        const Place moved{"newest", all.size()};
        newer += key + '\t' + moved.file + '\t' + std::to_string(moved.row) + '\n';
        all.emplace(key, moved);
      }
      if (!newer.empty()) {
        add_rows(shop.at("out"), shop.write("newer", newer, {}), shop.at("chain"), options, {},
                 Workshop::options());
      }
    }
    const bool has_layers = all.size() != 0 && std::ranges::any_of(all, [](const auto& one) {
                              return one.second.file == "newest";
                            });
    const Rows rows = Rows::open(shop.at(has_layers ? "chain" : "out"));
    for (auto at = all.begin(); at != all.end(); at = all.upper_bound(at->first)) {
      std::multiset<std::pair<std::string, std::uint64_t>> found;
      rows.visit_rows(at->first,
                      [&](const Rows::Row& row) { found.emplace(std::string(row.file), row.row); });
      const auto [begin, end] = all.equal_range(at->first);
      for (auto one = begin; one != end; ++one) {
        EXPECT_EQ(found.count({one->second.file, one->second.row}), 1U) << round;
      }
      // A layer may take a key of another for its own, once in 2^16 times.
      EXPECT_LE(found.size(), static_cast<std::size_t>(std::distance(begin, end)) + has_layers);
    }
    expect_refused(rows, has_layers ? 15 : 16, is_long ? 100 : 1'000, "other ");
  }
}

TEST(Rows, KnowTheirRowGroups) {
  const Workshop shop;
  const std::string groups =
      "b\t0\t10\na\t1\t5\na\t0\t3\na\t2\t0\na\t3\t7\nb\t0\t10\nempty\t0\t0\nnone\t0\t0\n";
  shop.write("groups", groups, {});
  const RowsOptions options{.row_groups = shop.at("groups").string()};
  const KeyInput input = shop.write("rows", "k\ta\t2\nl\ta\t3\nm\ta\t8\nn\tb\t9\n", {});
  build_rows(input, shop.at("out"), options, Workshop::options());
  const Rows rows = Rows::open(shop.at("out"));
  EXPECT_EQ(rows.files(), 4U);
  EXPECT_EQ(rows.rows(), 25U);
  EXPECT_EQ(rows.lookup("k")->group, 0U);
  EXPECT_EQ(rows.lookup("l")->group, 1U);
  EXPECT_EQ(rows.lookup("m")->group, 3U);
  EXPECT_EQ(rows.lookup("n")->group, 0U);
  EXPECT_EQ(rows.lookup("n")->row, 9U);

  const auto expect_refused = [&](const std::string& lines, const std::string& with,
                                  const std::string& place) {
    const std::string message = error_of(ErrorKind::bad_input, [&] {
      shop.write("groups", with, {});
      build_rows(shop.write("rows", lines, {}), shop.at("out"), options, Workshop::options());
    });
    EXPECT_NE(message.find(shop.at(place).string() + ":"), std::string::npos) << message;
  };
  expect_refused("k\ta\t15\n", groups, "rows:1");
  expect_refused("k\tc\t0\n", groups, "rows:1");
  expect_refused("k\ta\t0\n", "a\t0\t4\na\t2\t4\n", "groups");
  expect_refused("k\ta\t0\n", "a\t0\t4\na\t0\t5\n", "groups:2");
  expect_refused("k\ta\t0\n", "a\t0\n", "groups:1");
}

TEST(Rows, AreColumnsOrMembers) {
  const Workshop shop;
  KeyFormat csv{
      .key_column = 2, .value_column = 3, .row_column = 1, .column_delimiter = ',', .quotes = true};
  build_rows(shop.write("rows", "7,k,\"a,\"\"b\"\n8,l,c\n", csv), shop.at("out"), {},
             Workshop::options());
  EXPECT_EQ(Rows::open(shop.at("out")).lookup("k")->file, "a,\"b");
  EXPECT_EQ(Rows::open(shop.at("out")).lookup("k")->row, 7U);
  csv = {.column_delimiter = ',',
         .quotes = true,
         .skip_header = true,
         .key_name = "id",
         .value_name = "file",
         .row_name = "row"};
  build_rows(shop.write("rows", "row,id,file\n7,k,a\n", csv), shop.at("out"), {},
             Workshop::options());
  EXPECT_EQ(Rows::open(shop.at("out")).lookup("k")->row, 7U);
  const KeyFormat json{.json_key = "id", .json_value = "file", .json_row = "row"};
  build_rows(shop.write("rows", "{\"row\":9,\"id\":\"k\",\"file\":\"a\\u0009\"}\n", json),
             shop.at("out"), {}, Workshop::options());
  EXPECT_EQ(Rows::open(shop.at("out")).lookup("k")->file, "a\t");
  EXPECT_EQ(Rows::open(shop.at("out")).lookup("k")->row, 9U);
}

TEST(Rows, AreRefusedByLine) {
  const Workshop shop;
  for (const std::string line : {"k", "k\ta", "k\t\t1", "k\ta\t", "k\ta\t-1", "k\ta\t1.5",
                                 "k\ta\t1099511627776", "j\ta\t1"}) {
    const std::string message = error_of(ErrorKind::bad_input, [&] {
      build_rows(shop.write("rows", "j\ta\t1\n" + line + "\n", {}), shop.at("out"), {},
                 Workshop::options());
    });
    EXPECT_NE(message.find(":2"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace crivo::test
