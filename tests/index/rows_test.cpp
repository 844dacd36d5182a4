// SPDX-License-Identifier: Apache-2.0
// Indexes of rows, built and looked up through the public API.

#include "crivo/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

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

TEST(Rows, RefuseMostAbsentKeys) {
  const Workshop shop;
  build_rows(shop.write("rows", lines_of(random_table(1'000, 3)), {}), shop.at("out"), {},
             Workshop::options());
  const Rows rows = Rows::open(shop.at("out"));
  EXPECT_EQ(rows.signature_bits(), 16U);
  unsigned found = 0;
  for (unsigned i = 0; i < 20'000; ++i) found += rows.lookup("other " + std::to_string(i)) ? 1 : 0;
  EXPECT_LE(found, 6U);  // 0.3 on average
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
