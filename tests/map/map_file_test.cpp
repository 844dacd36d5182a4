// SPDX-License-Identifier: Apache-2.0
// A map as a file: sections that do not belong together, and options that no algorithm has.

#include "lookup/map_file.hpp"

#include <gtest/gtest.h>

#include "build/chosen.hpp"
#include "file/section_types.hpp"
#include "structures/build/static_function.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"
#include "support/temp_directory.hpp"

namespace crivo::map {
namespace {

struct Section {
  std::uint32_t type;
  base::Bytes bytes;
};

/// Writes a map of `keys` keys from these sections, and calls use(container).
template <typename Use>
void with_map(std::uint64_t keys, const std::vector<Section>& sections, Use&& use) {
  const test::TempDirectory directory;
  const auto path = directory.path() / "map";
  file::PendingFile file(file::OutputTarget::file(path, file::IfExists::refuse));
  file::ContainerWriter writer(file);
  for (const Section& section : sections) writer.begin_section(section.type).append(section.bytes);
  file::Header header;
  header.kind = file::Kind::map;
  header.value_type = file::ValueTypeId::unsigned_integer;
  header.keys = keys;
  writer.finish(header, {});
  (void)file.publish();
  use(file::Container::open(path));
}

/// A small set, whose form is the same in both types of section.
base::Bytes ribbon_of(std::uint64_t n, unsigned width) {
  return test::build_ribbon(stream::SortedHashes::from_unsorted(test::random_hashes(n)), width);
}

void expect_refused(const std::vector<Section>& sections, const std::string& part) {
  with_map(100, sections, [&](const file::Container& container) {
    const std::string error =
        test::error_of(ErrorKind::corrupt, [&] { const MapFile map(container); });
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_EQ(error.rfind(container.name(), 0), 0U) << error;
  });
}

TEST(MapFile, SectionsThatDoNotBelongTogether) {
  const Section function{file::kRibbonFunctionSection, ribbon_of(100, 10)};
  expect_refused({}, "no section of a static function");
  expect_refused({{file::kRibbonSection, ribbon_of(100, 8)}}, "no section of a static");
  for (const std::uint64_t other : {99U, 101U}) {
    expect_refused({{file::kRibbonFunctionSection, ribbon_of(other, 10)}},
                   "static function disagree on n");
    expect_refused({function, {file::kRibbonSection, ribbon_of(other, 8)}},
                   "signatures disagree on n");
  }
  expect_refused({function, {file::kRibbonSection, ribbon_of(100, 9)}},
                 "not have 8, 16 or 32 bits");
  expect_refused({function, {file::kRibbonSection, base::Bytes(70)}}, "ribbon section: ");
  expect_refused({{file::kRibbonFunctionSection, base::Bytes(70)}}, "ribbon section: ");
}

TEST(MapFile, SignaturesAreAskedFirst) {
  // Their values are no fingerprints, so that nearly all hashes are refused.
  with_map(100,
           {{file::kRibbonFunctionSection, ribbon_of(100, 10)},
            {file::kRibbonSection, ribbon_of(100, 32)}},
           [](const file::Container& container) {
             const MapFile map(container);
             EXPECT_EQ(map.signature_bits(), 32U);
             EXPECT_EQ(map.function().width(), 10U);
             for (const Hash128& hash : test::random_hashes(100)) EXPECT_FALSE(map.lookup(hash));
           });
}

TEST(MapFile, Options) {
  EXPECT_EQ(find_algorithm({}).section_type, file::kRibbonFunctionSection);
  EXPECT_EQ(find_algorithm({.compress = true}).section_type, file::kCodedSection);
  EXPECT_EQ(find_algorithm({.algorithm = "fuse", .arity = 3}).section_type, file::kFuseSection);
  const auto refused = [](const MapOptions& options) {
    return test::error_of(ErrorKind::usage, [&] { find_algorithm(options); });
  };
  EXPECT_EQ(refused({.algorithm = "sieve"}),
            "algorithm: 'sieve' is not ribbon, fuse, mwhc2 or mwhc3");
  EXPECT_EQ(refused({.algorithm = "fuse", .compress = true}),
            "compress: not an option of fuse maps");
  EXPECT_EQ(refused({.arity = 3}), "arity: not an option of ribbon maps");
  refused({.algorithm = "fuse", .arity = 5});
  refused({.value_bits = 65});
  refused({.signature_bits = 9});
}

}  // namespace
}  // namespace crivo::map
