// SPDX-License-Identifier: Apache-2.0
// Containers come back as they were written; any change of their bytes is found, and none harms.

#include "file/container.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <sstream>

#include "file/copied_ends.hpp"
#include "file/hash_tree.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "support/read_file.hpp"
#include "support/sealed.hpp"
#include "support/temp_directory.hpp"

namespace crivo::file {
namespace {

using layout::kChunkBytes;
using layout::kEntryBytes;
using layout::kFooterBytes;
using layout::kHeaderBytes;
using layout::kPageAlignment;

/// A type that no version knows, and that every kind of file may have.
constexpr std::uint32_t kForeignSection = kFirstSkippable + 7;

struct Section {
  std::uint32_t type;
  std::string bytes;
  std::uint64_t tag = 0;
  std::uint64_t alignment = layout::kAlignment;
};

struct Made {
  base::Bytes bytes;
  ContainerWriter::Written written;
};

Header sample_header() {
  Header header{.kind = Kind::filter, .keys = 5, .seed = 6};
  header.content_id[0] = std::byte{0xab};
  header.build_id[15] = std::byte{0xcd};
  return header;
}

Made make(const std::vector<Section>& sections, const Metadata& metadata = {},
          const Header& header = sample_header(), std::optional<HashTree> tree = std::nullopt) {
  const bool may_have_tree = tags_of(header.kind, kLeavesSection) != 0;
  const test::TempDirectory directory;
  const auto path = directory.path() / "file";
  PendingFile file(OutputTarget::file(path, IfExists::refuse));
  ContainerWriter writer(file, tree.value_or(may_have_tree ? HashTree::sha256 : HashTree::none));
  for (const Section& section : sections) {
    base::Sink& sink = writer.begin_section(section.type, section.tag, section.alignment);
    const base::ByteView bytes = base::as_bytes(section.bytes);  // in two pieces
    sink.append(bytes.first(bytes.size() / 2));
    sink.append(bytes.subspan(bytes.size() / 2));
    EXPECT_EQ(sink.size(), section.bytes.size());
  }
  const auto written = writer.finish(header, metadata);
  (void)file.publish();
  return {test::read_file(path), written};
}

Made sample() {
  return make({{kRibbonSection, "ribbon"}, {kForeignSection, std::string(64, 'd')}},
              {{"crivo.type", "ribbon"}, {"name", "value"}});
}

/// The error of opening, and what it is of; nothing if it opens.
std::optional<Error> open_error(base::ByteView bytes) {
  try {
    (void)Container::over(bytes, "NAME");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("NAME: ", 0), 0U) << error.what();
    return error;
  }
  return std::nullopt;
}

void expect_error(const base::Bytes& bytes, ErrorKind kind, const std::string& part) {
  const std::optional<Error> error = open_error(bytes);
  ASSERT_TRUE(error) << part;
  EXPECT_EQ(error->kind(), kind) << error->what();
  EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << error->what();
}

template <typename Int>
base::Bytes sealed_with(base::Bytes bytes, std::size_t at, Int value) {
  base::store_le(bytes.data() + at, value);
  test::seal(bytes);
  return bytes;
}

void verify(base::ByteView bytes, unsigned threads = 2) {
  Container::over(bytes, "NAME").verify(threads, [](std::uint64_t) {});
}

TEST(Container, RoundTrip) {
  const std::string large(4 * kChunkBytes + 77, 'L');
  const Made made = make({{kForeignSection, ""},
                          {kForeignSection, large, 1},
                          {kRibbonSection, "x", 0, kPageAlignment}},
                         {{"b", ""}, {"a", "\xc3\xa9"}, {"", "empty"}});
  const Container container = Container::over(made.bytes, "NAME");
  EXPECT_EQ(container.header().kind, Kind::filter);
  EXPECT_EQ(container.header().keys, 5U);
  EXPECT_EQ(container.header().seed, 6U);
  EXPECT_EQ(container.header().value_type, ValueTypeId::none);
  EXPECT_EQ(container.header().content_id, sample_header().content_id);
  EXPECT_EQ(container.header().build_id, sample_header().build_id);
  EXPECT_EQ(container.version(), "0.1");
  EXPECT_EQ(container.bytes(), made.bytes.size());
  EXPECT_EQ(made.written.bytes, made.bytes.size());
  EXPECT_EQ(container.digest(), made.written.digest);
  ASSERT_EQ(container.sections().size(), 6U);
  EXPECT_EQ(container.find(kLeavesSection)->size(), 5 * tree::kHashBytes);
  EXPECT_EQ(container.find(kForeignSection)->size(), 0U);
  EXPECT_EQ(base::as_text(*container.find(kForeignSection, 1)), large);
  EXPECT_FALSE(container.find(kForeignSection, 2));
  EXPECT_EQ(base::as_text(container.require(kRibbonSection, "ribbon")), "x");
  EXPECT_FALSE(container.find(kFuseSection));
  EXPECT_THROW(container.require(kFuseSection, "fuse"), Error);
  for (const SectionEntry& section : container.sections()) {
    EXPECT_EQ(section.alignment, section.type == kRibbonSection ? 4096U : 64U);
    EXPECT_EQ(section.offset % section.alignment, 0U);
  }
  EXPECT_EQ(container.metadata(), (Metadata{{"", "empty"}, {"a", "\xc3\xa9"}, {"b", ""}}));
  for (const unsigned threads : {1U, 3U}) {
    std::atomic<std::uint64_t> verified = 0;
    container.verify(threads, [&](std::uint64_t bytes) { verified += bytes; });
    EXPECT_EQ(verified, large.size() + 1 + container.find(kMetadataSection)->size() +
                            container.find(kLeavesSection)->size() +
                            container.find(kPageSumsSection)->size());
  }
}

TEST(Container, NoSections) {
  const Made made = make({});
  EXPECT_EQ(made.bytes.size(), 232U);
  EXPECT_TRUE(Container::over(made.bytes, "NAME").metadata().empty());
  verify(made.bytes);
}

/// A section of some chunks, whatever pieces it came in: each chunk has its checksum, and the
/// section that of all of them.
TEST(Container, ChecksumsOfChunks) {
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, kChunkBytes - 1,
                                     kChunkBytes, kChunkBytes + 1, 3 * kChunkBytes}) {
    std::string text(length, '.');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 8);
    const Made made = make({{kRibbonSection, text}});
    base::Bytes sums;
    for (std::size_t at = 0; at < text.size(); at += kChunkBytes) {
      const std::uint64_t sum =
          XXH3_64bits(text.data() + at, std::min<std::size_t>(kChunkBytes, text.size() - at));
      sums = base::FieldWriter().bytes(sums).u64(sum).take();
    }
    const Container container = Container::over(made.bytes, "NAME");
    EXPECT_EQ(container.sections()[0].checksum, XXH3_64bits(sums.data(), sums.size()));
    const auto leaves = container.find(kLeavesSection);
    const auto table = base::load_le<std::uint64_t>(made.bytes.data() + test::kTableAt);
    const std::size_t behind = (leaves ? 1 : 0) + (container.find(kPageSumsSection) ? 1 : 0);
    const std::size_t at = table - sums.size() - behind * layout::kChecksumBytes;
    EXPECT_TRUE(std::ranges::equal(base::ByteView(made.bytes).subspan(at, sums.size()), sums));
    verify(made.bytes);
  }
}

TEST(Container, EqualContentEqualBytes) {
  EXPECT_EQ(sample().bytes, sample().bytes);
  EXPECT_EQ(sample().written.digest, sample().written.digest);
  EXPECT_NE(make({{kRibbonSection, "a"}}).written.digest,
            make({{kRibbonSection, "b"}}).written.digest);
}

TEST(Container, CutShortAnywhere) {
  const base::Bytes whole = sample().bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const base::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    expect_error(cut, ErrorKind::corrupt, size < 8 ? "not a Crivo file" : "");
    if (size >= kHeaderBytes + kFooterBytes) expect_error(cut, ErrorKind::corrupt, "truncated");
  }
  base::Bytes longer = whole;
  longer.push_back(std::byte{0});
  expect_error(longer, ErrorKind::corrupt, "damaged");
}

/// Opening or verifying finds every change of one byte, unused ones too.
TEST(Container, EveryByteIsChecked) {
  const base::Bytes whole = sample().bytes;
  const std::size_t table = base::load_le<std::uint64_t>(whole.data() + test::kTableAt);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      base::Bytes bad = whole;
      bad[at] ^= static_cast<std::byte>(flip);
      bool found = open_error(bad).has_value();
      if (!found) {
        try {
          verify(bad);
        } catch (const Error& error) {
          found = error.kind() == ErrorKind::corrupt;
        }
      }
      EXPECT_TRUE(found) << "byte " << at;
      if (at < kHeaderBytes || at >= table) {
        EXPECT_TRUE(open_error(bad)) << "byte " << at;
      }
    }
  }
}

/// With a right checksum each field of the header is still checked for what it says.
TEST(Container, FieldsOfTheHeader) {
  const base::Bytes good = sample().bytes;
  const auto with = [&](std::size_t at, auto value) { return sealed_with(good, at, value); };
  expect_error(with(0, std::uint8_t{0x43}), ErrorKind::corrupt, "not a Crivo file");
  expect_error(with(8, std::uint16_t{2}), ErrorKind::too_new, "format version 2.1 is newer");
  expect_error(with(8, std::uint32_t{1}), ErrorKind::too_old,
               "format version 1.0 is that of a draft; build it again");
  expect_error(with(8, std::uint32_t{0x10001}), ErrorKind::too_new, "format version 1.1 is newer");
  EXPECT_FALSE(open_error(with(10, std::uint16_t{7})));  // a later minor version is read
  expect_error(with(12, std::uint32_t{128}), ErrorKind::too_old, "has a header of 128 bytes");
  expect_error(with(12, std::uint32_t{256}), ErrorKind::corrupt, "sizes do not agree");
  expect_error(with(16, std::uint64_t{1} << 37), ErrorKind::too_new, "needs feature bit 37");
  EXPECT_FALSE(open_error(with(24, UINT64_MAX)));  // compatible features are ignored
  expect_error(with(32, std::uint64_t{good.size() + 1}), ErrorKind::corrupt, "truncated");
  expect_error(with(32, std::uint64_t{good.size() - 1}), ErrorKind::corrupt, "damaged");
  expect_error(with(32, UINT64_MAX), ErrorKind::corrupt, "truncated");
  expect_error(with(40, kHeaderBytes), ErrorKind::corrupt, "sizes do not agree");
  expect_error(with(40, UINT64_MAX - 64), ErrorKind::corrupt, "sizes do not agree");
  for (const std::uint32_t count : {0U, 2U, 4U, kMaxSections, kMaxSections + 1, UINT32_MAX}) {
    expect_error(with(48, count), ErrorKind::corrupt, "sizes do not agree");
  }
  for (const std::uint32_t kind : {0U, 16U, UINT32_MAX}) {
    expect_error(with(52, kind), ErrorKind::too_new, "is of kind " + std::to_string(kind) + ",");
  }
  expect_error(with(112, std::uint32_t{2}), ErrorKind::too_new, "has hash tree 2, which");
  for (const std::uint32_t hash : {0U, 9U, UINT32_MAX}) {
    expect_error(with(72, hash), ErrorKind::too_new, "key hash function " + std::to_string(hash));
  }
  EXPECT_FALSE(open_error(with(72, std::uint32_t{2})));
  for (std::size_t at = 116; at < 152; ++at) {
    expect_error(with(at, std::uint8_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  }
  for (std::size_t at = 152; at < 184; ++at) {
    EXPECT_FALSE(open_error(with(at, std::uint8_t{1}))) << at;  // unused
  }
}

TEST(Container, FieldsOfTheFooter) {
  const base::Bytes good = sample().bytes;
  const std::size_t footer = good.size() - kFooterBytes;
  for (std::size_t at = footer; at < footer + 8; ++at) {
    expect_error(sealed_with(good, at, std::uint8_t{1}), ErrorKind::corrupt,
                 "nonzero reserved byte");
  }
  for (std::size_t at = footer + 8; at < footer + 16; ++at) {
    EXPECT_FALSE(open_error(sealed_with(good, at, std::uint8_t{1}))) << at;  // unused
  }
  expect_error(sealed_with(good, footer + 16, std::uint8_t{1}), ErrorKind::corrupt, "footer");
}

/// Values whose bits mean what this version does not know are refused by name, in any kind of file;
/// other kinds than maps have none.
TEST(Container, TypesOfValues) {
  Header header = sample_header();
  header.kind = Kind::map;
  header.value_type = ValueTypeId::unsigned_integer;
  const base::Bytes good = make({}, {}, header).bytes;
  EXPECT_EQ(Container::over(good, "").header().value_type, ValueTypeId::unsigned_integer);
  const auto with = [&](std::uint16_t type, std::uint16_t scale) {
    return sealed_with(good, 76, type | std::uint32_t{scale} << 16);
  };
  EXPECT_EQ(Container::over(with(2, 0), "").header().value_type, ValueTypeId::signed_integer);
  EXPECT_EQ(Container::over(with(3, 18), "").header().value_type, ValueTypeId::decimal);
  EXPECT_EQ(Container::over(with(3, 18), "").header().value_scale, 18);
  expect_error(with(2, 1), ErrorKind::corrupt, "do not have values of type 2 and scale 1");
  expect_error(with(3, 19), ErrorKind::corrupt, "do not have values of type 3 and scale 19");
  expect_error(with(9, 0), ErrorKind::too_new, "holds values of type 9, which this program");
  expect_error(with(0, 0), ErrorKind::corrupt, "do not have values of type 0");
  expect_error(with(1, 1), ErrorKind::corrupt, "do not have values of type 1 and scale 1");
  for (const Kind kind : {Kind::mphf, Kind::filter, Kind::store}) {
    header.kind = kind;
    expect_error(make({}, {}, header).bytes, ErrorKind::corrupt, "do not have values of type 1");
  }
  for (const ValueTypeId type : {ValueTypeId::none, ValueTypeId::unsigned_integer}) {
    header.kind = Kind::part;
    header.value_type = type;
    EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().value_type, type);
  }
}

/// XXH64 is for filters alone, the seeds' hashes for MPHFs; SipHash is for all.
TEST(Container, KeyHash) {
  Header header = sample_header();
  EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash,
            hashing::KeyHashId::xxh3);
  header.key_hash = hashing::KeyHashId::xxh64;
  EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash,
            hashing::KeyHashId::xxh64);
  for (const Kind kind : {Kind::mphf, Kind::store}) {
    header.kind = kind;
    expect_error(make({}, {}, header).bytes, ErrorKind::corrupt, "key hash function 2");
  }
  for (const hashing::KeyHashId hash :
       {hashing::KeyHashId::universal, hashing::KeyHashId::zobrist, hashing::KeyHashId::jenkins}) {
    header.key_hash = hash;
    header.kind = Kind::mphf;
    EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash, hash);
    for (const Kind kind : {Kind::filter, Kind::store}) {
      header.kind = kind;
      expect_error(make({}, {}, header).bytes, ErrorKind::corrupt,
                   "key hash function " + std::to_string(static_cast<std::uint32_t>(hash)));
    }
  }
  header.key_hash = hashing::KeyHashId::siphash;
  for (const Kind kind : {Kind::mphf, Kind::filter, Kind::map, Kind::store, Kind::part, Kind::keys,
                          Kind::totals, Kind::records, Kind::manifest}) {
    header.kind = kind;
    header.value_type = kind == Kind::map ? ValueTypeId::unsigned_integer : ValueTypeId::none;
    EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash,
              hashing::KeyHashId::siphash);
  }
  for (const std::uint32_t unknown : {0U, 9U, ~0U}) {
    header.key_hash = hashing::KeyHashId{unknown};
    expect_error(make({}, {}, header).bytes, ErrorKind::too_new, "uses key hash function");
  }
}

TEST(Container, FieldsOfTheTable) {
  const base::Bytes good = sample().bytes;
  const std::size_t table = good.size() - kFooterBytes - 3 * kEntryBytes;
  const std::size_t second = table + kEntryBytes;
  const auto with = [&](std::size_t at, auto value) { return sealed_with(good, at, value); };
  expect_error(with(table, std::uint32_t{200}), ErrorKind::too_new, "section of type 200");
  expect_error(with(table, std::uint32_t{0}), ErrorKind::too_new, "section of type 0");
  expect_error(with(table, std::uint32_t{73}), ErrorKind::too_new, "of type 73 (exact set), which");
  expect_error(with(table, kFirstSkippable - 1), ErrorKind::too_new, "section of type 2147483647");
  EXPECT_FALSE(open_error(with(table, kFirstSkippable)));
  EXPECT_FALSE(open_error(with(table, UINT32_MAX)));
  const std::string misplaced = "is not where it should be";
  expect_error(with(table + 4, std::uint32_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  for (const std::uint64_t offset : {0UL, 192UL, 255UL, 257UL, 320UL, ~0UL, ~63UL}) {
    expect_error(with(second + 8, offset), ErrorKind::corrupt, misplaced);  // 256 is right
  }
  for (const std::uint64_t length : {65UL, 128UL}) {
    expect_error(with(table + 16, length), ErrorKind::corrupt, "section 1 " + misplaced);
  }
  for (const std::uint64_t length : {1UL << 20, ~0UL, ~127UL}) {
    expect_error(with(table + 16, length), ErrorKind::corrupt, "section 0 " + misplaced);
  }
  for (const std::uint64_t length : {0UL, 65UL}) {  // of the last
    expect_error(with(second + kEntryBytes + 16, length), ErrorKind::corrupt,
                 "the checksums do not fill");
  }
  for (const std::uint32_t alignment : {0U, 1U, 32U, 128U, 8192U, UINT32_MAX}) {
    expect_error(with(table + 24, alignment), ErrorKind::corrupt,
                 "section 0 has an alignment of " + std::to_string(alignment));
  }
  expect_error(with(table + 24, std::uint32_t{4096}), ErrorKind::corrupt, misplaced);
  expect_error(with(table + 28, std::uint32_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  expect_error(with(table + 48, std::uint64_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  EXPECT_FALSE(open_error(with(table + 56, UINT64_MAX)));  // unused
}

/// Tags tell sections of one type apart. Of the types that a reader must know it knows none but 0.
TEST(Container, Tags) {
  const Made made = make({{kForeignSection, "a", 1}, {kForeignSection, "b", UINT64_MAX}});
  const Container container = Container::over(made.bytes, "NAME");
  EXPECT_EQ(base::as_text(*container.find(kForeignSection, 1)), "a");
  EXPECT_EQ(base::as_text(*container.find(kForeignSection, UINT64_MAX)), "b");
  EXPECT_FALSE(container.find(kForeignSection));
  expect_error(
      make({{kForeignSection, "a", 5}, {kMetadataSection, ""}, {kForeignSection, "b", 5}}).bytes,
      ErrorKind::corrupt, "two sections of type 2147483655 have the tag 5");
  expect_error(make({{kRibbonSection, "a"}, {kRibbonSection, "b"}}).bytes, ErrorKind::corrupt,
               "two sections of type 32 have the tag 0");
  expect_error(make({{kRibbonSection, "a", 3}}).bytes, ErrorKind::too_new,
               "has a section of type 32 with the tag 3");
}

/// Each kind of file has the sections of its own, and a part has any.
TEST(Container, SectionsOfKinds) {
  Header header = sample_header();
  for (const Kind kind : {Kind::mphf, Kind::filter, Kind::map, Kind::store, Kind::part}) {
    header.kind = kind;
    header.value_type = kind == Kind::map ? ValueTypeId::unsigned_integer : ValueTypeId::none;
    for (const SectionType& type : kSectionTypes) {
      if (type.number == kLeavesSection || type.number == kPageSumsSection)
        continue;  // there if the sections' lengths ask for it
      const base::Bytes bytes = make({{type.number, "a"}}, {}, header).bytes;
      if (kind == Kind::part || tags_of(kind, type.number) != 0) {
        EXPECT_FALSE(open_error(bytes)) << type.name;
      } else {
        expect_error(bytes, ErrorKind::corrupt,
                     "a file of kind " + std::string(kind_name(kind)) +
                         " has not a section of type " + std::to_string(type.number) + " (" +
                         std::string(type.name) + ")");
      }
    }
  }
}

/// What verify() says when byte `at` is changed.
std::string damage(base::Bytes bytes, std::initializer_list<std::size_t> places,
                   unsigned threads = 1) {
  for (const std::size_t at : places) bytes[at] ^= std::byte{4};
  try {
    verify(bytes, threads);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Container, VerifyNamesWhatIsDamaged) {
  const base::Bytes small = sample().bytes;
  EXPECT_EQ(damage(small, {192}),
            "NAME: damaged: chunk 0 of section 0 (ribbon), bytes 192 to 198, fails its checksum");
  EXPECT_EQ(damage(small, {255}), "NAME: damaged: byte 255, between sections, is not zero");
  EXPECT_EQ(damage(small, {256}),
            "NAME: damaged: chunk 0 of section 1 (type 2147483655), bytes 256 to 320, fails its "
            "checksum");
  const std::size_t sums = small.size() - kFooterBytes - 3 * kEntryBytes - 3 * 8;
  EXPECT_EQ(damage(small, {sums + 8}),
            "NAME: damaged: the checksums of section 1 (type 2147483655), "
            "bytes " +
                std::to_string(sums + 8) + " to " + std::to_string(sums + 16) + ", fail theirs");
  EXPECT_EQ(damage(small, {sums - 1}),
            "NAME: damaged: byte " + std::to_string(sums - 1) + ", between sections, is not zero");

  const base::Bytes large = make({{kForeignSection, ""},
                                  {kForeignSection, std::string(2 * kChunkBytes, 'a'), 1},
                                  {kRibbonSection, std::string(3 * kChunkBytes + 5, 'b'), 0, 4096},
                                  {kForeignSection, "", 2}})
                                .bytes;
  const std::size_t begin = 135168;  // of the third section: the multiple of 4096 from 131264 on
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_EQ(damage(large, {begin + kChunkBytes}, threads),
              "NAME: damaged: chunk 1 of section 2 (ribbon), bytes 200704 to 266240, fails its "
              "checksum");
    EXPECT_EQ(damage(large, {begin + 3 * kChunkBytes + 4}, threads),
              "NAME: damaged: chunk 3 of section 2 (ribbon), bytes 331776 to 331781, fails its "
              "checksum");
    EXPECT_EQ(damage(large, {192 + kChunkBytes, begin, begin + 3 * kChunkBytes}, threads),
              "NAME: damaged: chunk 1 of section 1 (type 2147483655), bytes 65728 to 131264, "
              "fails its checksum (the first of 3 such chunks of 8)");
    EXPECT_EQ(damage(large, {begin - 1}, threads),
              "NAME: damaged: byte 135167, between sections, is not zero");
  }
}

/// The hash of bytes as the specification has it, a level after the other.
Digest hash_of(base::Bytes bytes, std::size_t piece = kChunkBytes) {
  while (true) {
    base::Bytes list;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const Digest hash =
          hashing::sha256(base::ByteView(bytes).subspan(at, std::min(piece, bytes.size() - at)));
      list.insert(list.end(), hash.begin(), hash.end());
    }
    if (list.size() <= tree::kPieceBytes) return hashing::sha256(list);
    bytes = std::move(list);
    piece = tree::kPieceBytes;
  }
}

base::Bytes some_bytes(std::size_t size) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i >> 7);
  return bytes;
}

TEST(HashTree, IsOverTheLeavesOfEachSection) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{kChunkBytes},
                                 std::size_t{kChunkBytes + 1}, std::size_t{5 * kChunkBytes}}) {
    const base::Bytes bytes = some_bytes(size);
    const Made made = make({{kRibbonSection, std::string(base::as_text(bytes))}});
    const Container container = Container::over(made.bytes, "NAME");
    EXPECT_EQ(container.sections()[0].hash, hash_of(bytes)) << size;
    EXPECT_EQ(container.find(kLeavesSection).has_value(), size > kChunkBytes) << size;
    verify(made.bytes);
  }
}

/// Lists of more than one piece, whose sections would be larger than 8 MiB.
TEST(HashTree, ListsOfLists) {
  constexpr std::uint64_t kMost = tree::kHashesOfPiece;  // leaves of one list
  for (const std::uint64_t leaves : {kMost, kMost + 1, 2 * kMost + 3, kMost * kMost + 1}) {
    const base::Bytes list = some_bytes(leaves * tree::kHashBytes);
    const tree::Lists lists = tree::lists_of(list);
    const std::uint64_t section = leaves * kChunkBytes - 5;
    EXPECT_EQ(lists.bytes.size(), tree::bytes_of_lists(section));
    EXPECT_EQ(lists.hash,
              leaves == kMost ? hashing::sha256(list) : hash_of(list, tree::kPieceBytes));
    EXPECT_FALSE(tree::find_fault(lists.bytes, section, lists.hash));
    for (const std::uint64_t at :
         {std::uint64_t{0}, tree::kPieceBytes - 1, lists.bytes.size() - 1}) {
      base::Bytes other = lists.bytes;
      other[at] ^= std::byte{1};
      EXPECT_TRUE(tree::find_fault(other, section, lists.hash)) << at;
    }
    Digest other = lists.hash;
    other[31] ^= std::byte{1};
    EXPECT_TRUE(tree::find_fault(lists.bytes, section, other));
  }
  EXPECT_EQ(tree::bytes_of_lists(0), 0U);
  EXPECT_EQ(tree::bytes_of_lists(kChunkBytes), 0U);
  EXPECT_EQ(tree::bytes_of_lists(kChunkBytes + 1), 2 * tree::kHashBytes);
}

/// What the directory says is compared when a file is verified.
TEST(Directory, HasCopiesOfTheEndsOfSections) {
  const test::TempDirectory directory;
  const auto path = directory.path() / "file";
  PendingFile file(OutputTarget::file(path, IfExists::refuse));
  ContainerWriter writer(file);
  const base::Bytes large = some_bytes(3 * kChunkBytes + 5);
  writer.begin_section(kRibbonSection).append(base::ByteView(large).first(kChunkBytes));
  writer.copy_ends(64, 100);  // of one chunk: nothing
  writer.begin_section(kFuseSection).append(large);
  writer.copy_ends(64, 70'000);
  writer.finish(sample_header(), {{"a", "b"}});
  file.publish();
  base::Bytes bytes = test::read_file(path);
  verify(bytes);
  const Container container = Container::over(bytes, "NAME");
  ASSERT_EQ(container.sections().size(), 6U);
  const SectionEntry& last = container.sections()[5];
  ASSERT_EQ(last.type, kDirectorySection);
  const auto copies = decode_directory(container.bytes_of(last), container.sections());
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].section, 1U);
  EXPECT_TRUE(std::ranges::equal(copies[0].head, base::ByteView(large).first(64)));
  EXPECT_TRUE(std::ranges::equal(copies[0].tail, base::ByteView(large).last(70'000)));
  // Its own leaves are those of two chunks, behind those of the four of the section.
  EXPECT_EQ(container.find(kLeavesSection)->size(), 6 * tree::kHashBytes);

  const base::ByteView all = container.bytes_of(last);
  for (const auto& [at, to] : {std::pair{0, 0}, {0, 2}, {0, 4}, {8, 63}, {16, 69}}) {
    base::Bytes other(all.begin(), all.end());
    other[static_cast<std::size_t>(at)] = static_cast<std::byte>(to);
    EXPECT_THROW(decode_directory(other, container.sections()), Error) << at << ' ' << to;
  }
}

TEST(HashTree, FilesOfAPartitionHaveNone) {
  Header header = sample_header();
  for (const Kind kind : {Kind::keys, Kind::totals}) {
    header.kind = kind;
    EXPECT_FALSE(open_error(make({}, {}, header).bytes));
    expect_error(make({}, {}, header, HashTree::sha256).bytes, ErrorKind::corrupt,
                 "files of its kind have no hash tree");
  }
}

/// What a forger changes whose checksums are right is found by the tree alone.
TEST(HashTree, FindsWhatChecksumsDoNot) {
  const base::Bytes small = sample().bytes;
  const std::size_t table = small.size() - kFooterBytes - 3 * kEntryBytes;
  const base::Bytes other_hash = sealed_with(small, table + 64 + 31, std::uint8_t{1});
  EXPECT_FALSE(open_error(other_hash));
  EXPECT_EQ(damage(other_hash, {}),
            "NAME: damaged: chunk 0 of section 0 (ribbon), bytes 192 to 198, fails the hash tree");
  EXPECT_NE(Container::over(other_hash, "NAME").digest(), sample().written.digest);

  base::Bytes none = small;  // as of a file without a tree
  base::store_le(none.data() + 112, std::uint32_t{0});
  test::seal(none);
  expect_error(none, ErrorKind::corrupt, "section 0 has a hash, but no tree");
  for (int i = 0; i < 3; ++i) {
    std::fill_n(none.begin() + static_cast<std::ptrdiff_t>(table + 64 + i * kEntryBytes), 32,
                std::byte{0});
  }
  test::seal(none);
  EXPECT_FALSE(open_error(none));
  verify(none);

  const base::Bytes empty = make({{kForeignSection, ""}}).bytes;
  const std::size_t entry = empty.size() - kFooterBytes - kEntryBytes;
  EXPECT_NE(damage(sealed_with(empty, entry + 64, std::uint8_t{1}), {}).find("is not that of no"),
            std::string::npos);

  // Of leaves: the section is as it should be, but for one of them, and the hash that of all.
  const Made large = make({{kRibbonSection, std::string(2 * kChunkBytes, 'a')}});
  const Container container = Container::over(large.bytes, "NAME");
  const SectionEntry& leaves = container.sections()[2];
  ASSERT_EQ(leaves.type, kLeavesSection);
  base::Bytes bytes = large.bytes;
  bytes[leaves.offset] ^= std::byte{1};
  const std::size_t sums = bytes.size() - kFooterBytes - 3 * kEntryBytes - layout::kChecksumBytes;
  const std::uint64_t sum = XXH3_64bits(bytes.data() + leaves.offset, leaves.length);
  base::store_le(bytes.data() + sums, sum);
  const std::size_t at = bytes.size() - kFooterBytes - kEntryBytes + 32;
  base::store_le(bytes.data() + at, XXH3_64bits(bytes.data() + sums, layout::kChecksumBytes));
  test::seal(bytes);
  EXPECT_NE(damage(bytes, {}).find("the leaves of section 0 (ribbon), from byte"),
            std::string::npos)
      << damage(bytes, {});
}

/// The specification's table of section types is the program's.
TEST(Container, SectionTypesAreThoseOfTheSpecification) {
  const auto formats = std::filesystem::path(CRIVO_SOURCE_DIR) / "formats";
  std::ifstream in(formats / "crivo-1.md");
  ASSERT_TRUE(in);
  std::vector<std::string> listed;
  bool in_table = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| type | name | kinds | page |", 0) == 0) {
      in_table = true;
    } else if (line.empty()) {
      in_table = false;
    } else if (in_table && line[2] != '-' && line[1] != '-') {
      listed.push_back(line);
    }
  }
  std::vector<std::string> known;
  for (const SectionType& type : kSectionTypes) {
    std::string kinds;
    for (const KindRow& kind : kKinds) {
      if (tags_of(kind.kind, type.number) != 0)
        kinds += (kinds.empty() ? "" : ", ") + std::string(kind.name);
    }
    std::ostringstream number;
    if (type.number >= kFirstSkippable) number << std::hex;
    number << type.number;
    known.push_back("| " + number.str() + " | " + std::string(type.name) + " | " + kinds + " | " +
                    std::string(type.page) + " |");
    EXPECT_TRUE(std::filesystem::exists(formats / type.page)) << type.page;
  }
  EXPECT_EQ(listed, known);
}

// Metadata ------------------------------------------------------------------------------------

base::FieldWriter& entry(base::FieldWriter& w, std::string_view name, std::string_view value) {
  w.u32(static_cast<std::uint32_t>(name.size())).u32(static_cast<std::uint32_t>(value.size()));
  return w.bytes(base::as_bytes(name)).bytes(base::as_bytes(value));
}

void expect_bad_metadata(const base::Bytes& bytes, const std::string& part) {
  const Made made = make({{kMetadataSection, std::string(base::as_text(bytes))}});
  const Container container = Container::over(made.bytes, "NAME");
  try {
    (void)container.metadata();
    ADD_FAILURE() << "taken: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    EXPECT_NE(std::string(error.what()).find("NAME: metadata: " + part), std::string::npos)
        << error.what();
  }
}

TEST(Metadata, MustAscend) {
  base::FieldWriter w;
  w.u32(2);
  entry(entry(w, "b", "1"), "a", "2");
  expect_bad_metadata(w.view(), "its names are not ascending");
  base::FieldWriter twice;
  twice.u32(2);
  entry(entry(twice, "a", "1"), "a", "2");
  expect_bad_metadata(twice.view(), "its names are not ascending");
}

TEST(Metadata, MustEndWithItsLastEntry) {
  base::FieldWriter w;
  w.u32(1);
  const base::Bytes whole = entry(w, "name", "value").view();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_bad_metadata(
        base::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)),
        "ends before its last field");
  }
  expect_bad_metadata(w.u8(0).view(), "holds more bytes than its fields");
  expect_bad_metadata(base::FieldWriter().u32(UINT32_MAX).view(), "ends before its last field");
  expect_bad_metadata(base::FieldWriter().u32(1).u32(UINT32_MAX).u32(UINT32_MAX).view(),
                      "ends before its last field");
}

TEST(Metadata, MustBeUtf8) {
  for (const char* const wrong : {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80"}) {
    for (const bool in_name : {true, false}) {
      base::FieldWriter w;
      w.u32(1);
      entry(w, in_name ? wrong : "name", in_name ? "value" : wrong);
      expect_bad_metadata(w.view(), "holds what is not UTF-8");
    }
  }
}

TEST(Metadata, HasALimit) {
  const auto of_size = [](std::size_t size) {
    base::FieldWriter w;
    w.u32(1);
    return entry(w, "n", std::string(size - 13, 'v')).take();
  };
  const Made made =
      make({{kMetadataSection, std::string(base::as_text(of_size(kMaxMetadataBytes)))}});
  EXPECT_EQ(Container::over(made.bytes, "NAME").metadata().size(), 1U);
  expect_bad_metadata(of_size(kMaxMetadataBytes + 1), "larger than its limit");
}

// Files ---------------------------------------------------------------------------------------

TEST(Container, FilesThatAreNone) {
  const test::TempDirectory directory;
  const auto kind_of = [](const std::filesystem::path& path) {
    try {
      (void)Container::open(path);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ": ", 0), 0U);
      return error.kind();
    }
    return ErrorKind::usage;
  };
  EXPECT_EQ(kind_of(directory.path() / "none"), ErrorKind::io);
  EXPECT_EQ(kind_of(directory.path()), ErrorKind::corrupt);
  EXPECT_EQ(kind_of("/dev/null"), ErrorKind::corrupt);
  std::ofstream(directory.path() / "empty").flush();
  EXPECT_EQ(kind_of(directory.path() / "empty"), ErrorKind::corrupt);
}

}  // namespace
}  // namespace crivo::file
