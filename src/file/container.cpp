#include "file/container.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "crivo/text.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::file {
namespace {

bool all_zero(base::ByteView bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// The bytes that the header's checksum and the digest cover: the header up to it, then the table.
base::Bytes checked_bytes(base::ByteView file, std::uint64_t table_offset) {
  const base::ByteView head = file.first(layout::kHeaderBytes - sizeof(std::uint64_t));
  const base::ByteView table =
      file.subspan(table_offset, file.size() - layout::kFooterBytes - table_offset);
  return base::FieldWriter().bytes(head).bytes(table).take();
}

}  // namespace

std::string_view kind_name(Kind kind) noexcept {
  switch (kind) {
    case Kind::mphf:
      return "mphf";
    case Kind::filter:
      return "filter";
    case Kind::map:
      return "map";
    case Kind::store:
      return "store";
  }
  return {};
}

bool may_have(Kind kind, KeyHash hash) noexcept {
  switch (hash) {
    case KeyHash::xxh3_128:
    case KeyHash::siphash:
      return true;
    case KeyHash::xxh64:
      return kind == Kind::filter;
    case KeyHash::universal:
    case KeyHash::zobrist:
    case KeyHash::jenkins:
      return kind == Kind::mphf;
  }
  return false;
}

std::string to_hex(const ContentId& id) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte b : id) {
    hex += kDigits[std::to_integer<unsigned>(b >> 4)];
    hex += kDigits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return hex;
}

void Container::fail(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, name_ + ": " + problem);
}

Container Container::open(const std::filesystem::path& path, Loading loading) {
  return open(MappedFile(path, loading), path.string(), loading);
}

Container Container::open(const base::FileDescriptor& file, const std::string& name,
                          Loading loading) {
  return open(MappedFile(file, name, loading), name, loading);
}

Container Container::open(MappedFile mapping, const std::string& name, Loading loading) {
  Container container(mapping.bytes(), name);
  container.mapping_ = std::move(mapping);
  if (loading == Loading::copy) container.verify([](std::uint64_t) {});
  return container;
}

Container Container::over(base::ByteView bytes, std::string name) {
  return {bytes, std::move(name)};
}

Container::Container(base::ByteView bytes, std::string name)
    : name_(std::move(name)), bytes_(bytes) {
  const base::ByteView magic = layout::magic();
  if (bytes_.size() < magic.size() || !std::ranges::equal(bytes_.first(magic.size()), magic)) {
    fail("not a Crivo file (its first bytes are others)");
  }
  if (bytes_.size() < layout::kHeaderBytes + layout::kFooterBytes) {
    fail("truncated: " + std::to_string(bytes_.size()) + " bytes, fewer than any Crivo file has");
  }
  base::FieldReader r(bytes_.first(layout::kHeaderBytes), name_);
  r.take(magic.size());
  const std::uint16_t major = r.u16();
  minor_ = r.u16();
  const std::string version = std::to_string(major) + "." + std::to_string(minor_);
  if (major > kMajorVersion) {
    throw Error(ErrorKind::too_new, name_ + ": format version " + version + " is newer than the " +
                                        std::to_string(kMajorVersion) +
                                        ".x that this program reads; use a newer crivo");
  }
  if (major < kMajorVersion) {
    throw Error(ErrorKind::too_old, name_ + ": format version " + version +
                                        " is older than this program reads; build the file again");
  }
  const std::uint32_t header_bytes = r.u32();
  const std::uint64_t incompatible = r.u64();
  r.u64();  // compatible features may be ignored
  if (incompatible != 0) {
    throw Error(ErrorKind::too_new, name_ + ": needs feature bit " +
                                        std::to_string(std::countr_zero(incompatible)) +
                                        ", which this program does not know; use a newer crivo");
  }
  const std::uint64_t length = r.u64();
  table_offset_ = r.u64();
  const std::uint32_t count = r.u32();
  header_.kind = Kind{r.u32()};
  header_.keys = r.u64();
  header_.seed = r.u64();
  header_.key_hash = KeyHash{r.u32()};
  r.zeros(4);
  std::ranges::copy(r.take(header_.content_id.size()), header_.content_id.begin());
  r.zeros(24);
  const std::uint64_t checksum = r.u64();

  if (length != bytes_.size()) {
    fail((length > bytes_.size() ? "truncated: " : "damaged: ") + std::to_string(bytes_.size()) +
         " bytes of " + std::to_string(length));
  }
  if (header_bytes != layout::kHeaderBytes || count > kMaxSections ||
      length < layout::kHeaderBytes + layout::kFooterBytes + count * layout::kEntryBytes ||
      table_offset_ != length - layout::kFooterBytes - count * layout::kEntryBytes) {
    fail("damaged: the header's sizes do not agree with the file's");
  }
  base::FieldReader footer(bytes_.last(layout::kFooterBytes), name_);
  if (footer.u64() != length || footer.u64() != checksum ||
      !std::ranges::equal(footer.take(magic.size()), layout::inverted_magic())) {
    fail("damaged: the footer does not agree with the header");
  }
  const base::Bytes checked = checked_bytes(bytes_, table_offset_);
  if (XXH3_64bits(checked.data(), checked.size()) != checksum) {
    fail("damaged: the checksum of header and section table is wrong");
  }
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(checked.data(), checked.size()));
  std::memcpy(digest_.data(), canonical.digest, digest_.size());
  if (header_.key_hash < KeyHash::xxh3_128 || header_.key_hash > KeyHash::siphash) {
    throw Error(ErrorKind::too_new,
                name_ + ": uses key hash function " +
                    std::to_string(static_cast<std::uint32_t>(header_.key_hash)) +
                    ", which this program does not know; use a newer crivo");
  }
  if (kind_name(header_.kind).empty()) {
    throw Error(ErrorKind::too_new, name_ + ": is of kind " +
                                        std::to_string(static_cast<std::uint32_t>(header_.kind)) +
                                        ", which this program does not know; use a newer crivo");
  }
  if (!may_have(header_.kind, header_.key_hash)) {
    fail("damaged: a file of its kind has not key hash function " +
         std::to_string(static_cast<std::uint32_t>(header_.key_hash)));
  }

  base::FieldReader table(bytes_.subspan(table_offset_, count * layout::kEntryBytes), name_);
  std::uint64_t expected = layout::kHeaderBytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    SectionEntry section;
    section.type = table.u32();
    const std::uint32_t flags = table.u32();
    section.offset = table.u64();
    section.length = table.u64();
    const std::uint32_t alignment = table.u32();
    table.zeros(4);
    section.checksum = table.u64();
    table.zeros(8);
    if (flags != 0 || alignment != layout::kAlignment || section.offset != expected ||
        section.length > table_offset_ - section.offset) {
      fail("damaged: section " + std::to_string(i) + " is not where it should be");
    }
    expected = bits::align_up(section.offset + section.length, layout::kAlignment);
    if (expected > table_offset_) fail("damaged: the last section ends too late");
    sections_.push_back(section);
  }
  if (expected != table_offset_) fail("damaged: there is a hole before the section table");
  for (const SectionEntry& section : sections_) {
    if (section.type == kDraftSection) {
      throw Error(ErrorKind::too_old, name_ + ": has a section of type " +
                                          std::to_string(section.type) +
                                          ", of a draft of the format; build the file again");
    }
    if (!is_known(section.type)) {
      throw Error(ErrorKind::too_new, name_ + ": has a section of type " +
                                          std::to_string(section.type) +
                                          ", which this program does not know; use a newer crivo");
    }
  }
}

std::optional<base::ByteView> Container::find(std::uint32_t type) const {
  std::optional<base::ByteView> found;
  for (const SectionEntry& section : sections_) {
    if (section.type != type) continue;
    if (found) fail("damaged: two sections of type " + std::to_string(type));
    found = bytes_.subspan(section.offset, section.length);
  }
  return found;
}

base::ByteView Container::require(std::uint32_t type, std::string_view what) const {
  const std::optional<base::ByteView> found = find(type);
  if (!found) fail("damaged: there is no " + std::string(what) + " section");
  return *found;
}

Metadata Container::metadata() const {
  const std::optional<base::ByteView> section = find(kMetadataSection);
  if (!section) return {};
  base::FieldReader r(*section, "metadata");
  return naming(name_, [&] {
    if (section->size() > kMaxMetadataBytes) r.fail("larger than its limit");
    Metadata metadata;
    const std::uint32_t count = r.u32();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t name_bytes = r.u32();
      const std::uint32_t value_bytes = r.u32();
      const std::string_view name = base::as_text(r.take(name_bytes));
      const std::string_view value = base::as_text(r.take(value_bytes));
      if (!is_utf8(name) || !is_utf8(value)) r.fail("holds what is not UTF-8");
      if (!metadata.empty() && metadata.rbegin()->first >= name)
        r.fail("its names are not ascending");
      metadata.emplace_hint(metadata.end(), name, value);
    }
    r.expect_end();
    return metadata;
  });
}

void Container::verify(const std::function<void(std::uint64_t)>& progress) const {
  constexpr std::size_t kStep = std::size_t{8} << 20;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const SectionEntry& section = sections_[i];
    hashing::StreamHash hash;
    for (base::ByteView rest = bytes_.subspan(section.offset, section.length); !rest.empty();) {
      const base::ByteView step = rest.first(std::min(kStep, rest.size()));
      hash.add(step);
      rest = rest.subspan(step.size());
      progress(step.size());
    }
    if (hash.value() != section.checksum) {
      fail("damaged: the checksum of section " + std::to_string(i) + " (type " +
           std::to_string(section.type) + ", bytes " + std::to_string(section.offset) + " to " +
           std::to_string(section.offset + section.length) + ") is wrong");
    }
    const std::uint64_t at = section.offset + section.length;
    const std::uint64_t padded = bits::align_up(at, layout::kAlignment);
    if (!all_zero(bytes_.subspan(at, padded - at))) {
      fail("damaged: the padding after section " + std::to_string(i) + " is not zero");
    }
  }
}

}  // namespace crivo::file
