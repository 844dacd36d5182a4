// SPDX-License-Identifier: Apache-2.0
/// Seeds of the kinds that a chain may have several of: filter sets and indexes of rows.
#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "file/section_types.hpp"
#include "fuzz/mended_file.hpp"
#include "fuzz/seeds.hpp"
#include "structures/filter_set/header.hpp"
#include "structures/filter_set/name_table.hpp"
#include "support/temp_directory.hpp"

namespace crivo::fuzz {
namespace {

/// Lines group TAB key: of so many groups, of which the first has most keys.
std::string grouped_lines(std::uint64_t groups, std::uint64_t most) {
  std::string lines;
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint64_t keys = most / (group + 1) + 1;
    for (std::uint64_t i = 0; i < keys; ++i)
      lines += std::to_string(group) + '\t' + key(group + i) + '\n';
  }
  return lines;
}

/// The file with other sections: a group of as many cells of a byte as are not gone through one by
/// one, and one behind it.
base::Bytes with_many_cells(base::ByteView file) {
  constexpr unsigned kBits = 5;
  constexpr std::uint64_t kCells = (std::uint64_t{1} << kBits) + 1;
  filter_set::Header header{.type = filter_set::Type::bloom, .hashes = 2, .rate = 1};
  header.groups = 2;
  header.cells = kCells;
  header.name_bytes = 4;
  base::FieldWriter groups;
  groups.bytes(header.encode());
  for (std::uint64_t cell = 0; cell < kCells; cell += filter_set::kBlock) groups.u64(cell);
  groups.u64(0).u64(0);
  for (std::uint64_t cell = 0; cell < kCells; ++cell)
    groups.bytes(base::as_bytes(of_bytes({1, 0, 0})));
  groups.bytes(base::as_bytes(of_bytes({kBits, 0, 1, 'a', 1, 'b'})));
  base::Bytes filters(kCells + filter_set::kEndPadding);
  std::fill_n(filters.begin(), kCells, std::byte{0xb7});
  FileParts parts = take_apart(file);
  for (FileSection& section : parts.sections) {
    if (section.type == file::kFilterGroupsSection) section.bytes = groups.take();
    if (section.type == file::kFiltersSection) section.bytes = filters;
  }
  return put_together(parts);
}

}  // namespace

void write_filter_sets(const Path& directory) {
  const test::TempDirectory temporary;
  const Path pairs = temporary.path() / "pairs";
  const Path output = temporary.path() / "output";
  const KeyInput input{{pairs.string()}, {}};
  const struct {
    const char* name;
    FilterSetOptions options;
  } sets[] = {{"ribbon", {.type = "ribbon"}},
              {"fuse", {.type = "fuse"}},
              {"split-block", {.type = "split-block-bloom"}},
              {"bloom", {.type = "bloom"}},
              {"blocks", {.type = "bloom", .layout = FilterSetLayout::blocks}}};
  for (const auto& [name, options] : sets) {
    for (const std::uint64_t groups : {0U, 1U, 90U}) {
      std::ofstream(pairs) << grouped_lines(groups, 60);
      build_filter_set(input, output, options, build_options());
      write(directory, std::string("set-") + name + "-" + std::to_string(groups), "",
            base::as_bytes(contents(output)));
    }
  }
  // A group of two ribbons, and one graph.
  std::ofstream(pairs) << grouped_lines(2, 6000);
  for (const std::string type : {"ribbon", "fuse"}) {
    build_filter_set(input, output, {.type = type, .fpr = 0.5}, build_options());
    write(directory, "set-" + type + "-large", "", base::as_bytes(contents(output)));
  }
  // As many groups as a block may have, and more blocks than are asked for ahead.
  std::ofstream(pairs) << grouped_lines(1200, 1);
  build_filter_set(input, output, {.type = "bloom", .layout = FilterSetLayout::blocks, .fpr = 0.5},
                   build_options());
  write(directory, "set-blocks-many", "", base::as_bytes(contents(output)));
  std::ofstream(pairs) << grouped_lines(2, 1);
  build_filter_set(input, output, {.type = "bloom"}, build_options());
  write(directory, "set-many-cells", "", with_many_cells(base::as_bytes(contents(output))));
}

void write_rows(const Path& directory) {
  const test::TempDirectory temporary;
  const Path places = temporary.path() / "places";
  const Path row_groups = temporary.path() / "groups";
  const Path output = temporary.path() / "output";
  const KeyInput input{{places.string()}, {}};
  // Files that are there, of which the stamps are kept.
  const auto file = [&](std::uint64_t i) {
    return (temporary.path() / ("file " + std::to_string(i % 5))).string();
  };
  for (std::uint64_t i = 0; i < 5; ++i) std::ofstream(file(i)) << i;
  for (const std::uint64_t count : {0U, 1U, 300U}) {
    std::ofstream lines(places);
    std::ofstream groups(row_groups);
    for (std::uint64_t i = 0; i < count; ++i)
      lines << key(i) << '\t' << file(i) << '\t' << i / 5 << '\n';
    for (std::uint64_t i = 0; i < 15; ++i) groups << file(i) << '\t' << i / 5 << "\t20\n";
    lines.close();
    groups.close();
    const auto keep = [&](const std::string& name, const RowsOptions& options) {
      build_rows(input, output, options, build_options());
      write(directory, "rows-" + name + "-" + std::to_string(count), "",
            base::as_bytes(contents(output)));
    };
    keep("plain", {.signature_bits = 0});
    keep("checked", {.check_files = true});
    keep("groups", {.row_groups = row_groups.string()});
    for (const unsigned bits : {8U, 32U})
      keep("many-" + std::to_string(bits), {.signature_bits = bits, .many = true});
  }
  // Some keys in several rows, and with marks of 8 bits some that others have, too.
  std::ofstream lines(places);
  for (std::uint64_t i = 0; i < 900; ++i)
    lines << key(i % 700) << '\t' << file(i) << '\t' << i / 5 << '\n';
  lines.close();
  build_rows(input, output, {.signature_bits = 8, .many = true}, build_options());
  write(directory, "rows-lists", "", base::as_bytes(contents(output)));
}

void write_touched(const Path& corpus) {
  const char* const names[] = {"map-ribbon-8-400",      "map-ribbon-0-400", "map-fuse-8-400",
                               "map-ribbon-c-0-400",    "dictionary-8-400", "dictionary-12-400",
                               "dictionary-hashed-400", "exact-others-400", "exact-others.-400",
                               "rows-checked-300",      "map-fuse-many",    "map-ribbon-many",
                               "dictionary-long",       "rows-groups-300",  "rows-lists",
                               "set-ribbon-90",         "ribbon-400",       "fast-8-400"};
  enum Flag : std::uint8_t { kFlipBefore = 1, kFlipAfter = 2, kCutAfter = 4, kManyPages = 8 };
  constexpr int kMapped = 0;
  constexpr int kModes = 5;
  constexpr int kRead = 4;
  for (const std::string name : names) {
    const std::string file = contents(corpus / "file" / name);
    if (file.empty()) throw std::runtime_error("there is no seed " + name);
    const auto keep = [&](int flags, int mode, int place) {
      write(corpus / "touched",
            name + "-" + std::to_string(flags) + "-" + std::to_string(mode) + "-" +
                std::to_string(place),
            of_bytes({flags, mode}) + little_endian(static_cast<std::uint64_t>(place), 4),
            base::as_bytes(file));
    };
    for (int mode = 0; mode < kModes; ++mode) keep(0, mode, 0);
    for (const int mode : {kMapped, kRead}) {
      keep(kFlipBefore, mode, 300);
      keep(kCutAfter, mode, 0);
    }
    keep(kFlipAfter, kRead, 700);
    // A byte of the sums, and one of the table.
    keep(kFlipBefore, kRead, -900);
    keep(kFlipBefore, kMapped, -100);
  }
  const std::string file = contents(corpus / "file" / "map-ribbon-8-400");
  for (int lie = 1; lie <= 5; ++lie)
    write(corpus / "touched", "lie-" + std::to_string(lie),
          of_bytes({16 * lie, 0}) + little_endian(0, 4), base::as_bytes(file));
  for (const int mode : {kMapped, kRead}) {
    for (const int flags : {kManyPages + 0, kManyPages + kFlipBefore})
      write(corpus / "touched", "many-" + std::to_string(flags) + "-" + std::to_string(mode),
            of_bytes({flags, mode}) + little_endian(500, 4), base::as_bytes(file));
  }
}

}  // namespace crivo::fuzz
