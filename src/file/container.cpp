// SPDX-License-Identifier: Apache-2.0
#include "file/container.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/page_checks.hpp"
#include "crivo/error.hpp"
#include "crivo/value_form.hpp"
#include "file/layout.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

/// The most layers of a cuckoo filter, whose sections have the tags from 0 on (formats/cuckoo.md).
constexpr std::uint64_t kMostLayers = 16;

/// Throws Error(too_new): "NAME: WHAT, which this program does not know; use a newer crivo".
[[noreturn]] void fail_unknown(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::too_new,
              name + ": " + what + ", which this program does not know; use a newer crivo");
}

constexpr const char* kSizesDisagree = "damaged: the header's sizes do not agree with the file's";

template <typename Enum>
std::string number_of(Enum value) {
  return std::to_string(static_cast<std::uint32_t>(value));
}

/// " (NAME)", for the message that names an unknown number; nothing where that has no name.
std::string named(std::string_view name) {
  return name.empty() ? "" : " (" + std::string(name) + ")";
}

}  // namespace

bool may_have(Kind kind, hashing::KeyHashId hash) noexcept {
  const KindRow* const row = find_kind(kind);
  switch (hash) {
    case hashing::KeyHashId::xxh3:
    case hashing::KeyHashId::siphash:
      return true;
    case hashing::KeyHashId::xxh64:
    case hashing::KeyHashId::range:
    case hashing::KeyHashId::keyed_range:
      return row != nullptr && row->takes_own_hash;
    case hashing::KeyHashId::universal:
    case hashing::KeyHashId::zobrist:
    case hashing::KeyHashId::jenkins:
      return row != nullptr && row->takes_seeds;
  }
  return false;
}

Container Container::open(const std::filesystem::path& path, Loading loading) {
  const base::FileDescriptor file = open_to_map(path);
  Container container = open(file, path.string(), loading);
  container.path_ = path;
  if (container.header_.kind != Kind::manifest) return container;
  return with_parts(std::move(container), file, path.parent_path(), loading);
}

Container Container::with_parts(Container manifest, const base::FileDescriptor& file,
                                const std::filesystem::path& folder, Loading loading) {
  return Container(std::make_shared<const ServedParts>(std::move(manifest), file, folder, loading));
}

Container::Container(std::shared_ptr<const ServedParts> parts)
    : name_(parts->manifest().name()),
      bytes_(parts->bytes()),
      header_(parts->manifest().header()),
      minor_(parts->manifest().minor_),
      digest_(parts->manifest().digest()),
      tree_(parts->manifest().hash_tree()),
      sections_(parts->sections()),
      parts_(std::move(parts)) {
  header_.kind = parts_->kind();
  check_values();
  check_sections();
}

std::uint64_t Container::bytes() const noexcept {
  return parts_ != nullptr ? parts_->file_bytes() : bytes_.size();
}

Container Container::open(const base::FileDescriptor& file, const std::string& name,
                          Loading loading) {
  if (loading == Loading::read) return open_by_pages(file, name);
  return open(MappedFile(file, name, loading), name, loading);
}

Container Container::open(MappedFile mapping, const std::string& name, Loading loading) {
  const base::GuardedBytes guarded(mapping.bytes());  // what is read here has a checksum
  Container container(mapping.bytes(), name);
  container.mapping_ = std::move(mapping);
  if (copies(loading)) container.check_sums(1, [](std::uint64_t) {});
  return container;
}

Container Container::open(base::ByteView bytes, const std::string& name, Loading loading) {
  if (loading != Loading::copy) return over(bytes, name);
  return open(MappedFile::copy_of(bytes, name), name, loading);
}

Container Container::over(base::ByteView bytes, std::string name, std::function<void()> forget) {
  Container container(bytes, std::move(name));
  container.forget_ = std::move(forget);
  return container;
}

Container Container::awaited(base::ByteView bytes, std::string name, AwaitedBytes& awaited,
                             std::shared_ptr<const base::PageChecks> checks) {
  Container container(bytes, std::move(name));
  container.awaited_ = PagedBytes(awaited);
  container.page_checks_ = std::move(checks);
  container.touch_what_is_read_at_open();
  return container;
}

Container::~Container() = default;
Container::Container(Container&&) noexcept = default;
Container& Container::operator=(Container&&) noexcept = default;

Container::Container(base::ByteView bytes, std::string name)
    : name_(std::move(name)), bytes_(bytes) {
  read_header();
}

void Container::read_header() {
  const base::ByteView magic = layout::magic();
  if (bytes_.size() < magic.size() || !std::ranges::equal(bytes_.first(magic.size()), magic)) {
    fail("not a Crivo file (bad magic number)");
  }
  if (bytes_.size() < layout::kHeaderBytes + layout::kFooterBytes) {
    fail("truncated: " + std::to_string(bytes_.size()) + " bytes, fewer than any Crivo file has");
  }
  base::FieldReader r(bytes_.first(layout::kHeaderBytes), name_);
  r.take(magic.size());
  read_version(r);
  const std::uint64_t length = r.u64();
  table_offset_ = r.u64();
  const std::uint32_t sections = r.u32();
  header_.kind = Kind{r.u32()};
  header_.keys = r.u64();
  header_.seed = r.u64();
  header_.key_hash = hashing::KeyHashId{r.u32()};
  header_.value_type = ValueTypeId{r.u16()};
  header_.value_scale = r.u16();
  std::ranges::copy(r.take(header_.content_id.size()), header_.content_id.begin());
  std::ranges::copy(r.take(header_.build_id.size()), header_.build_id.begin());
  tree_ = HashTree{r.u32()};
  r.zeros(36);
  r.unused(32);
  check_layout(length, sections, r.u64());
  digest_ = hashing::Sha256()
                .add(bytes_.first(layout::kHeaderBytes))
                .add(bytes_.subspan(table_offset_))
                .value();
  check_numbers();
  check_values();
  read_table(sections);
}

/// Reads what follows the magic, up to the length of the file, and refuses other versions.
void Container::read_version(base::FieldReader& r) {
  const std::uint16_t major = r.u16();
  minor_ = r.u16();
  if (major == kDraftMajorVersion && minor_ == kDraftMinorVersion) {
    throw Error(ErrorKind::too_old, name_ + ": format version " + version_text(major, minor_) +
                                        " is that of a draft; build it again");
  }
  if (major > kMajorVersion) {
    throw Error(ErrorKind::too_new, name_ + ": format version " + version_text(major, minor_) +
                                        " is newer than the " + std::to_string(kMajorVersion) +
                                        ".x that this program reads; use a newer crivo");
  }
  const std::uint32_t header_bytes = r.u32();
  const std::uint64_t incompatible = r.u64();
  r.u64();  // compatible features may be ignored
  if (incompatible != 0) {
    fail_unknown(name_, "needs feature bit " + std::to_string(std::countr_zero(incompatible)));
  }
  if (header_bytes < layout::kHeaderBytes) {
    throw Error(ErrorKind::too_old, name_ + ": has a header of " + std::to_string(header_bytes) +
                                        " bytes, which is older than this program reads; build "
                                        "the file again");
  }
  if (header_bytes > layout::kHeaderBytes) fail(kSizesDisagree);
}

/// Compares what the header says of the file with the file and its footer.
void Container::check_layout(std::uint64_t length, std::uint32_t sections,
                             std::uint64_t checksum) const {
  if (length != bytes_.size()) {
    fail((length > bytes_.size() ? "truncated: " : "damaged: ") + std::to_string(bytes_.size()) +
         " bytes of " + std::to_string(length));
  }
  if (sections > kMaxSections ||
      length < layout::kHeaderBytes + layout::kFooterBytes + sections * layout::kEntryBytes ||
      table_offset_ != length - layout::kFooterBytes - sections * layout::kEntryBytes) {
    fail(kSizesDisagree);
  }
  base::FieldReader footer(bytes_.last(layout::kFooterBytes), name_);
  footer.zeros(8);
  footer.unused(8);
  if (footer.u64() != length || footer.u64() != checksum ||
      !std::ranges::equal(footer.take(layout::kMagic.size()), layout::inverted_magic())) {
    fail("damaged: the footer does not agree with the header");
  }
  const base::Bytes checked = layout::checked_bytes(bytes_, table_offset_);
  if (XXH3_64bits(checked.data(), checked.size()) != checksum) {
    fail("damaged: the checksum of header and section table is wrong");
  }
}

/// Refuses hashes, trees and kinds that this version does not know, and hashes that the kind has
/// not.
void Container::check_numbers() const {
  if (header_.key_hash < hashing::KeyHashId::xxh3 ||
      header_.key_hash > hashing::KeyHashId::keyed_range) {
    fail_unknown(name_, "uses key hash function " + number_of(header_.key_hash));
  }
  if (tree_ > HashTree::sha256) fail_unknown(name_, "has hash tree " + number_of(tree_));
  if (kind_name(header_.kind).empty()) fail_unknown(name_, "is of kind " + number_of(header_.kind));
  if (tree_ != HashTree::none && tags_of(header_.kind, kLeavesSection) == 0)
    fail("damaged: files of its kind have no hash tree");
  if (!may_have(header_.kind, header_.key_hash)) {
    fail("damaged: files of its kind do not have key hash function " + number_of(header_.key_hash));
  }
}

void Container::check_values() const {
  const bool has_values = header_.value_type != ValueTypeId::none;
  if (header_.value_type > ValueTypeId::decimal) {
    fail_unknown(name_, "holds values of type " + number_of(header_.value_type));
  }
  const unsigned most = header_.value_type == ValueTypeId::decimal ? kMaxValueScale : 0;
  const bool is_free = is_step(header_.kind) || header_.kind == Kind::manifest ||
                       find_kind(header_.kind)->may_have_values;
  if (header_.value_scale > most ||
      (!is_free && has_values != find_kind(header_.kind)->has_values)) {
    fail("damaged: files of its kind do not have values of type " + number_of(header_.value_type) +
         " and scale " + std::to_string(header_.value_scale));
  }
}

void Container::read_table(std::uint32_t count) {
  base::FieldReader table(bytes_.subspan(table_offset_, count * layout::kEntryBytes), name_);
  std::uint64_t end = layout::kHeaderBytes;
  std::uint64_t chunks = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    SectionEntry section;
    section.type = table.u32();
    table.zeros(4);
    section.offset = table.u64();
    section.length = table.u64();
    section.alignment = table.u32();
    table.zeros(4);
    section.checksum = table.u64();
    section.tag = table.u64();
    if (section.type == kPageSumsSection) {
      section.list_check = table.u64();
    } else {
      table.zeros(8);
    }
    table.unused(8);
    std::ranges::copy(table.take(section.hash.size()), section.hash.begin());
    section.first_chunk = chunks;
    if (section.alignment != layout::kAlignment && section.alignment != layout::kPageAlignment) {
      fail("damaged: section " + std::to_string(i) + " has an alignment of " +
           std::to_string(section.alignment) + ", which is neither 64 nor 4096");
    }
    if (section.offset != base::align_up(end, section.alignment) ||
        section.offset > table_offset_ || section.length > table_offset_ - section.offset) {
      fail("damaged: section " + std::to_string(i) + " is not where it should be");
    }
    end = section.offset + section.length;
    chunks += layout::chunks_of(section.length);
    sections_.push_back(section);
  }
  checksums_offset_ = base::align_up(end, layout::kAlignment);
  if (checksums_offset_ > table_offset_ ||
      table_offset_ - checksums_offset_ != chunks * layout::kChecksumBytes) {
    fail("damaged: the checksums do not fill what is between the sections and their table");
  }
  check_sections();
  read_tree();
  read_page_sums();
}

void Container::read_page_sums() {
  const auto sums = std::ranges::find(sections_, kPageSumsSection, &SectionEntry::type);
  if (sums == sections_.end()) return;
  const auto is_after = [](const SectionEntry& section) { return is_of_container(section.type); };
  const std::uint64_t end =
      sums == sections_.begin() ? 0 : std::prev(sums)->offset + std::prev(sums)->length;
  if (!page_sums::are_of(end) || !std::all_of(sums, sections_.end(), is_after) ||
      std::any_of(sections_.begin(), sums, is_after))
    fail("damaged: the sums of pages are not behind the sections that they are of");
  const page_sums::Shape shape(end);
  if (sums->length != shape.bytes() || sums->alignment < shape.alignment())
    fail("damaged: the sums of pages are not as many as the pages");
  page_sums_.emplace(bytes_, end, bytes_of(*sums));
}

void Container::read_tree() {
  std::uint64_t lists = 0;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    SectionEntry& section = sections_[i];
    section.lists_at = lists;
    const bool has_hash = tree_ != HashTree::none && section.type != kLeavesSection;
    if (!has_hash && section.hash != Digest{})
      fail("damaged: section " + std::to_string(i) + " has a hash, but no tree");
    if (has_hash) lists += tree::bytes_of_lists(section.length);
  }
  if (tree_ == HashTree::none && find(kDirectorySection))
    fail("damaged: it has a directory, but no hash tree");
  const std::optional<base::ByteView> leaves = find(kLeavesSection);
  if (leaves.has_value() != (lists != 0) || (leaves && leaves->size() != lists))
    fail("damaged: the leaves of the hash tree are not those of the sections");
  if (leaves) leaves_ = *leaves;
}

void Container::check_sections() const {
  for (const SectionEntry& section : sections_) check_type(section);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> names;
  names.reserve(sections_.size());
  for (const SectionEntry& section : sections_) names.emplace_back(section.type, section.tag);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    fail("damaged: two sections of type " + std::to_string(twice->first) + " have the tag " +
         std::to_string(twice->second));
  }
}

void Container::check_type(const SectionEntry& section) const {
  const SectionType* const type = find_section_type(section.type);
  const std::string of_type = "a section of type " + std::to_string(section.type);
  const bool in_parts = parts_ != nullptr;
  std::uint64_t tags = tags_of(header_.kind, section.type);
  if (header_.kind == Kind::filter && section.type == kCuckooSection) tags = kMostLayers;
  if (in_parts) tags = std::max(tags, tags_of(Kind::manifest, section.type));
  if (section.type < kFirstSkippable) {
    if (type == nullptr)
      fail_unknown(name_, "has " + of_type + named(section_set_aside(section.type)));
    const bool has_any_tag =
        header_.kind == Kind::part || (in_parts && is_of_each_part(section.type));
    if (section.tag >= std::max<std::uint64_t>(tags, 1) && !has_any_tag) {
      fail_unknown(name_, "has " + of_type + " with the tag " + std::to_string(section.tag));
    }
  }
  if (in_parts && section.type == kLeavesSection)
    fail("damaged: it has leaves of sections that lie in several files");
  if (type != nullptr && header_.kind != Kind::part && tags == 0) {
    fail("damaged: a file of kind " + std::string(kind_name(header_.kind)) + " has not " + of_type +
         " (" + std::string(type->name) + ")");
  }
}

std::optional<base::ByteView> Container::find(std::uint32_t type,
                                              std::uint64_t tag) const noexcept {
  for (const SectionEntry& section : sections_) {
    if (section.type == type && section.tag == tag) return bytes_of(section);
  }
  return std::nullopt;
}

base::ByteView Container::require(std::uint32_t type, std::string_view what) const {
  const std::optional<base::ByteView> found = find(type);
  if (!found) fail("damaged: there is no " + std::string(what) + " section");
  return *found;
}

Metadata Container::metadata() const {
  const std::optional<base::ByteView> section = find(kMetadataSection);
  if (!section) return {};
  return naming(name_, [&] { return decode_metadata(*section); });
}

}  // namespace crivo::file
