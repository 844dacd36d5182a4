#include "file/container.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <fstream>
#include <iterator>

#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "support/temp_directory.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kChecksumAt = 120;

base::Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const base::ByteView bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

struct Section {
  std::uint32_t type;
  std::string bytes;
};

struct Made {
  base::Bytes bytes;
  ContainerWriter::Written written;
};

Header sample_header() {
  Header header{Kind::filter, 5, 6, {}};
  header.content_id[0] = std::byte{0xab};
  return header;
}

Made make(const std::vector<Section>& sections, const Metadata& metadata = {},
          const Header& header = sample_header()) {
  const test::TempDirectory directory;
  const auto path = directory.path() / "file";
  PendingFile file(OutputTarget::file(path, IfExists::refuse));
  ContainerWriter writer(file);
  for (const Section& section : sections) {
    base::Sink& sink = writer.begin_section(section.type);
    const base::ByteView bytes = base::as_bytes(section.bytes);  // in two pieces
    sink.append(bytes.first(bytes.size() / 2));
    sink.append(bytes.subspan(bytes.size() / 2));
    EXPECT_EQ(sink.size(), section.bytes.size());
  }
  const auto written = writer.finish(header, metadata);
  (void)file.publish();
  return {read_file(path), written};
}

Made sample() {
  return make({{kRibbonSection, "ribbon"}, {kDictionarySection, std::string(64, 'd')}},
              {{"crivo.type", "ribbon"}, {"name", "value"}});
}

/// Makes the checksums of header and footer those of the changed bytes.
void seal(base::Bytes& bytes) {
  base::Bytes checked(bytes.begin(), bytes.begin() + kChecksumAt);
  const auto table = base::load_le<std::uint64_t>(bytes.data() + 40);
  if (table > bytes.size() - layout::kFooterBytes) return;
  checked.insert(checked.end(), bytes.begin() + static_cast<std::ptrdiff_t>(table),
                 bytes.end() - static_cast<std::ptrdiff_t>(layout::kFooterBytes));
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  base::store_le(bytes.data() + kChecksumAt, checksum);
  base::store_le(bytes.data() + bytes.size() - 16, checksum);
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
  seal(bytes);
  return bytes;
}

TEST(Container, RoundTrip) {
  const std::string large((1 << 20) + 77, 'L');
  const Made made =
      make({{kDictionarySection, ""}, {kSignatureSection, large}, {kRibbonSection, "x"}},
           {{"b", ""}, {"a", "\xc3\xa9"}, {"", "empty"}});
  const Container container = Container::over(made.bytes, "NAME");
  EXPECT_EQ(container.header().kind, Kind::filter);
  EXPECT_EQ(container.header().keys, 5U);
  EXPECT_EQ(container.header().seed, 6U);
  EXPECT_EQ(container.header().content_id, sample_header().content_id);
  EXPECT_EQ(container.minor_version(), 0U);
  EXPECT_EQ(container.bytes(), made.bytes.size());
  EXPECT_EQ(made.written.bytes, made.bytes.size());
  EXPECT_EQ(container.digest(), made.written.digest);
  ASSERT_EQ(container.sections().size(), 4U);
  EXPECT_EQ(container.find(kDictionarySection)->size(), 0U);
  EXPECT_EQ(base::as_text(*container.find(kSignatureSection)), large);
  EXPECT_EQ(base::as_text(container.require(kRibbonSection, "ribbon")), "x");
  EXPECT_FALSE(container.find(kEnvironmentSection));
  EXPECT_THROW(container.require(kEnvironmentSection, "environment"), Error);
  for (const SectionEntry& section : container.sections()) EXPECT_EQ(section.offset % 64, 0U);
  EXPECT_EQ(container.metadata(), (Metadata{{"", "empty"}, {"a", "\xc3\xa9"}, {"b", ""}}));
  std::uint64_t verified = 0;
  container.verify([&](std::uint64_t bytes) { verified += bytes; });
  EXPECT_GT(verified, large.size());
}

TEST(Container, NoSections) {
  const Made made = make({});
  EXPECT_EQ(made.bytes.size(), 152U);
  const Container container = Container::over(made.bytes, "NAME");
  EXPECT_TRUE(container.metadata().empty());
  container.verify([](std::uint64_t) {});
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
    if (size >= 128) expect_error(cut, ErrorKind::corrupt, "truncated");
  }
  base::Bytes longer = whole;
  longer.push_back(std::byte{0});
  expect_error(longer, ErrorKind::corrupt, "damaged");
}

/// Opening or verifying finds every change of one byte.
TEST(Container, EveryByteIsChecked) {
  const base::Bytes whole = sample().bytes;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      base::Bytes bad = whole;
      bad[at] ^= static_cast<std::byte>(flip);
      bool found = open_error(bad).has_value();
      if (!found) {
        try {
          Container::over(bad, "NAME").verify([](std::uint64_t) {});
        } catch (const Error& error) {
          found = error.kind() == ErrorKind::corrupt;
        }
      }
      EXPECT_TRUE(found) << "byte " << at;
      if (at < 128 || at >= whole.size() - 24 - 3 * 48) {
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
  expect_error(with(8, std::uint16_t{2}), ErrorKind::too_new, "format version 2.0 is newer");
  expect_error(with(8, std::uint16_t{0}), ErrorKind::too_old, "format version 0.0 is older");
  EXPECT_FALSE(open_error(with(10, std::uint16_t{7})));  // a later minor version is read
  expect_error(with(12, std::uint32_t{192}), ErrorKind::corrupt, "sizes do not agree");
  expect_error(with(16, std::uint64_t{1} << 37), ErrorKind::too_new, "needs feature bit 37");
  EXPECT_FALSE(open_error(with(24, UINT64_MAX)));  // compatible features are ignored
  expect_error(with(32, std::uint64_t{good.size() + 1}), ErrorKind::corrupt, "truncated");
  expect_error(with(32, std::uint64_t{good.size() - 1}), ErrorKind::corrupt, "damaged");
  expect_error(with(32, UINT64_MAX), ErrorKind::corrupt, "truncated");
  expect_error(with(40, std::uint64_t{128}), ErrorKind::corrupt, "sizes do not agree");
  expect_error(with(40, UINT64_MAX - 64), ErrorKind::corrupt, "sizes do not agree");
  for (const std::uint32_t count : {0U, 2U, 4U, kMaxSections, kMaxSections + 1, UINT32_MAX}) {
    expect_error(with(48, count), ErrorKind::corrupt, "sizes do not agree");
  }
  for (const std::uint32_t kind : {0U, 5U, UINT32_MAX}) {
    expect_error(with(52, kind), ErrorKind::too_new, "is of kind " + std::to_string(kind));
  }
  for (const std::uint32_t hash : {0U, 7U, UINT32_MAX}) {
    expect_error(with(72, hash), ErrorKind::too_new, "key hash function " + std::to_string(hash));
  }
  EXPECT_FALSE(open_error(with(72, std::uint32_t{2})));
  expect_error(with(76, std::uint32_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  for (std::size_t at = 96; at < 120; ++at) {
    expect_error(with(at, std::uint8_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  }
}

/// XXH64 is for filters alone, the seeds' hashes for MPHFs; SipHash is for all, since 1.2.
TEST(Container, KeyHash) {
  Header header = sample_header();
  EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash, KeyHash::xxh3_128);
  header.key_hash = KeyHash::xxh64;
  EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash, KeyHash::xxh64);
  for (const Kind kind : {Kind::mphf, Kind::store}) {
    header.kind = kind;
    expect_error(make({}, {}, header).bytes, ErrorKind::corrupt, "key hash function 2");
  }
  for (const KeyHash hash : {KeyHash::universal, KeyHash::zobrist, KeyHash::jenkins}) {
    header.key_hash = hash;
    header.kind = Kind::mphf;
    EXPECT_EQ(Container::over(make({}, {}, header).bytes, "").header().key_hash, hash);
    for (const Kind kind : {Kind::filter, Kind::store}) {
      header.kind = kind;
      expect_error(make({}, {}, header).bytes, ErrorKind::corrupt,
                   "key hash function " + std::to_string(static_cast<std::uint32_t>(hash)));
    }
  }
  header.key_hash = KeyHash::siphash;
  for (const Kind kind : {Kind::mphf, Kind::filter, Kind::map, Kind::store}) {
    header.kind = kind;
    const Made made = make({}, {}, header);
    const Container container = Container::over(made.bytes, "");
    EXPECT_EQ(container.header().key_hash, KeyHash::siphash);
    EXPECT_EQ(container.minor_version(), 2U);
  }
  for (const std::uint32_t unknown : {0U, 7U, ~0U}) {
    header.key_hash = KeyHash{unknown};
    expect_error(make({}, {}, header).bytes, ErrorKind::too_new, "uses key hash function");
  }
}

TEST(Container, SaysTheLeastMinorVersionThatHasItsSections) {
  const auto minor = [](const std::vector<Section>& sections) {
    return Container::over(make(sections).bytes, "NAME").minor_version();
  };
  EXPECT_EQ(minor({{kRibbonSection, "a"}, {kSignatureSection, "b"}}), 0U);
  EXPECT_EQ(minor({{kConsensusSection, "a"}, {kSignatureSection, "b"}}), 1U);
  for (const std::uint32_t type : {kSplitBlockSection, kCuckooSection, kHashCompactionSection,
                                   kMwhcSection, kFchSection, kBmzSection, kBdzSection}) {
    EXPECT_EQ(minor({{type, "a"}, {kConsensusSection, "b"}}), 2U);
  }
  EXPECT_EQ(minor({{kRibbonFunctionSection, "a"}, {kRibbonSection, "b"}}), 2U);
  Header map = sample_header();
  map.kind = Kind::map;
  EXPECT_EQ(Container::over(make({{kRibbonSection, "a"}}, {}, map).bytes, "NAME").minor_version(),
            2U);
}

TEST(Container, FieldsOfTheTable) {
  const base::Bytes good = sample().bytes;
  const std::size_t table = good.size() - 24 - 3 * 48;
  const std::size_t second = table + 48;
  const auto with = [&](std::size_t at, auto value) { return sealed_with(good, at, value); };
  expect_error(with(table, std::uint32_t{99}), ErrorKind::too_new, "section of type 99");
  expect_error(with(table, std::uint32_t{0}), ErrorKind::too_new, "section of type 0");
  expect_error(with(table, kDraftSection), ErrorKind::too_old, "of a draft of the format");
  expect_error(with(table, kFirstSkippable - 1), ErrorKind::too_new, "section of type 2147483647");
  EXPECT_FALSE(open_error(with(table, kFirstSkippable)));
  EXPECT_FALSE(open_error(with(table, UINT32_MAX)));
  const std::string misplaced = "is not where it should be";
  expect_error(with(table + 4, std::uint32_t{1}), ErrorKind::corrupt, misplaced);  // flags
  for (const std::uint64_t offset : {0UL, 64UL, 128UL, 129UL, 191UL, 256UL, ~0UL, ~63UL}) {
    expect_error(with(second + 8, offset), ErrorKind::corrupt, misplaced);  // 192 is right
  }
  for (const std::uint64_t length : {65UL, 128UL}) {
    expect_error(with(table + 16, length), ErrorKind::corrupt, "section 1 " + misplaced);
  }
  for (const std::uint64_t length : {1UL << 20, ~0UL, ~127UL}) {
    expect_error(with(table + 16, length), ErrorKind::corrupt, "section 0 " + misplaced);
  }
  expect_error(with(table + 2 * 48 + 16, std::uint64_t{0}), ErrorKind::corrupt, "hole");
  expect_error(with(table + 24, std::uint32_t{4096}), ErrorKind::corrupt, misplaced);
  expect_error(with(table + 28, std::uint32_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
  expect_error(with(table + 40, std::uint64_t{1}), ErrorKind::corrupt, "nonzero reserved byte");
}

TEST(Container, TwoSectionsOfAType) {
  const Made made = make({{kRibbonSection, "a"}, {kRibbonSection, "b"}});
  const Container container = Container::over(made.bytes, "NAME");
  EXPECT_THROW((void)container.find(kRibbonSection), Error);
  EXPECT_FALSE(container.find(kSignatureSection));
}

TEST(Container, VerifyNamesWhatIsDamaged) {
  const auto message = [](std::size_t at) {
    base::Bytes bytes = sample().bytes;
    bytes[at] ^= std::byte{4};
    try {
      Container::over(bytes, "NAME").verify([](std::uint64_t) {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(128),
            "NAME: damaged: the checksum of section 0 (type 3, bytes 128 to 134) is wrong");
  EXPECT_EQ(message(191), "NAME: damaged: the padding after section 0 is not zero");
  EXPECT_EQ(message(255),
            "NAME: damaged: the checksum of section 1 (type 5, bytes 192 to 256) is wrong");
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
