// SPDX-License-Identifier: Apache-2.0
#include "file/manifest.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

constexpr std::uint64_t kPage = layout::kPageAlignment;
constexpr std::uint64_t kMaxNameBytes = 4096;
/// The most pages of all sections: more than any machine maps.
constexpr std::uint64_t kMaxPages = std::uint64_t{1} << 44;
constexpr std::uint64_t kPartEntryBytes = 48;
constexpr std::uint64_t kSectionEntryBytes = 32;
constexpr std::uint64_t kRunEntryBytes = 24;

constexpr std::uint64_t pages_of(std::uint64_t bytes) noexcept {
  return bytes / kPage + (bytes % kPage != 0 ? 1 : 0);
}

/// `named`: how many pages of each source the runs before have, to which those of this are added.
ManifestTable::Run read_run(base::FieldReader& r, const ManifestTable& table,
                            std::uint64_t own_pages, std::vector<std::uint64_t>& named) {
  ManifestTable::Run run;
  run.source = r.u32();
  r.zeros(4);
  run.page = r.u64();
  run.pages = r.u64();
  std::uint64_t there = 0;
  if (run.source == ManifestTable::kNothing) {
    there = run.page == 0 ? ManifestTable::kMostZeroPages : 0;
  } else if (run.source == ManifestTable::kOwn) {
    there = own_pages;
  } else if (run.source - ManifestTable::kFirstPart < table.parts.size()) {
    there = table.parts[run.source - ManifestTable::kFirstPart].bytes / kPage;
  } else {
    r.fail("damaged: some of its pages belong to no part");
  }
  if (run.pages == 0 || run.pages > there || run.page > there - run.pages)
    r.fail("damaged: some of its pages lie in none of its files");
  // Whoever copies or maps the pages takes memory for each time that one is named.
  std::uint64_t& all = named[run.source];
  if (run.source != ManifestTable::kNothing && run.pages > there - all)
    r.fail("damaged: it has more pages of a file than are in it");
  all += run.pages;
  return run;
}

}  // namespace

std::uint64_t ManifestTable::Section::pages() const noexcept {
  std::uint64_t all = 0;
  for (const Run& run : runs) all += run.pages;
  return all;
}

bool is_part_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  const auto is_odd = [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20; };
  if (std::ranges::any_of(name, is_odd)) return false;
  while (true) {
    const std::size_t end = name.find('/');
    const std::string_view component = name.substr(0, end);
    if (component.empty() || component == "." || component == "..") return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

base::Bytes encode(const ManifestTable& table) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(table.kind)).u32(0);
  w.u64(table.parts.size()).u64(table.sections.size());
  for (const ManifestTable::Part& part : table.parts) {
    w.bytes(part.digest).u64(part.bytes).u64(part.name.size());
  }
  for (const ManifestTable::Section& section : table.sections) {
    w.u32(section.type).u32(0).u64(section.tag).u64(section.bytes).u64(section.runs.size());
    for (const ManifestTable::Run& run : section.runs)
      w.u32(run.source).u32(0).u64(run.page).u64(run.pages);
  }
  for (const ManifestTable::Part& part : table.parts) w.bytes(base::as_bytes(part.name));
  return w.take();
}

ManifestTable decode_manifest(base::ByteView bytes, std::uint64_t own_pages,
                              const std::string& name) {
  base::FieldReader r(bytes, name);
  ManifestTable table;
  table.kind = Kind{r.u32()};
  r.zeros(4);
  const KindRow* const kind = find_kind(table.kind);
  if (kind == nullptr || !kind->has_parts)
    r.fail("damaged: it is a manifest of files that have no parts");
  const std::uint64_t parts = r.u64();
  const std::uint64_t sections = r.u64();
  if (parts == 0 || parts > r.remaining() / kPartEntryBytes ||
      sections > r.remaining() / kSectionEntryBytes) {
    r.fail("damaged: it has more parts or sections than bytes");
  }
  std::vector<std::uint64_t> name_bytes;
  for (std::uint64_t i = 0; i < parts; ++i) {
    ManifestTable::Part& part = table.parts.emplace_back();
    std::ranges::copy(r.take(part.digest.size()), part.digest.begin());
    part.bytes = r.u64();
    name_bytes.push_back(r.u64());
  }
  std::uint64_t pages = 0;
  std::vector<std::uint64_t> named(ManifestTable::kFirstPart + parts);
  for (std::uint64_t i = 0; i < sections; ++i) {
    ManifestTable::Section& section = table.sections.emplace_back();
    section.type = r.u32();
    r.zeros(4);
    section.tag = r.u64();
    section.bytes = r.u64();
    const std::uint64_t runs = r.u64();
    if (runs > r.remaining() / kRunEntryBytes) r.fail("damaged: it has more runs than bytes");
    std::uint64_t left = pages_of(section.bytes);
    section.runs.reserve(runs);
    for (std::uint64_t j = 0; j < runs; ++j) {
      const ManifestTable::Run run = read_run(r, table, own_pages, named);
      if (run.pages > left) r.fail("damaged: it has more pages than its sections");
      left -= run.pages;
      section.runs.push_back(run);
    }
    pages += section.pages();
    if (left != 0 || pages > kMaxPages) r.fail("damaged: it has fewer pages than its sections");
  }
  std::set<std::string_view> names;
  for (std::uint64_t i = 0; i < parts; ++i) {
    table.parts[i].name = base::as_text(r.take(name_bytes[i]));
    if (!is_part_name(table.parts[i].name))
      r.fail("damaged: it names a part that is not below its folder");
  }
  for (const ManifestTable::Part& part : table.parts) {
    if (!names.insert(part.name).second) r.fail("damaged: it names a part twice");
  }
  r.expect_end();
  return table;
}

Kind kind_of_whole(const Container& manifest) {
  return Kind{
      base::FieldReader(manifest.require(kManifestSection, "manifest"), manifest.name()).u32()};
}

ServedParts::ServedParts(Container manifest, const base::FileDescriptor& file,
                         const std::filesystem::path& folder, Loading loading)
    : manifest_(std::move(manifest)),
      table_(decode_manifest(
          manifest_.require(kManifestSection, "manifest"),
          manifest_.require(kManifestPagesSection, "manifest's pages").size() / kPage,
          manifest_.name())),
      image_(lay_out(), loading, manifest_.name()),
      file_bytes_(manifest_.bytes()) {
  const Places all = places();
  const base::ByteView own = manifest_.require(kManifestPagesSection, "manifest's pages");
  const auto own_offset = static_cast<std::uint64_t>(own.data() - manifest_.file_bytes().data());
  if (own_offset % kPage != 0) manifest_.fail("damaged: its pages do not begin at a page boundary");
  place(all[ManifestTable::kOwn], file, manifest_.name(), own_offset / kPage, own);
  for (std::size_t i = 0; i < table_.parts.size(); ++i) {
    const ManifestTable::Part& part = table_.parts[i];
    const std::filesystem::path path = folder / part.name;
    const std::string name = path.string();
    std::error_code ignored;
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
      throw Error(ErrorKind::corrupt,
                  name + ": is missing, which the manifest " + manifest_.name() + " leads to",
                  {.file = name});
    const auto part_file = base::FileDescriptor::open_to_read(path);
    Container opened = open_part(part, part_file, name, loading);
    place(all[ManifestTable::kFirstPart + i], part_file, name, 0, opened.file_bytes());
    file_bytes_ += part.bytes;
    if (!copies(loading)) parts_.push_back(std::move(opened));
  }
  image_.finish();
}

std::uint64_t ServedParts::lay_out() {
  std::uint64_t pages = 0;
  for (const ManifestTable::Section& section : table_.sections) {
    sections_.push_back({.type = section.type,
                         .tag = section.tag,
                         .alignment = kPage,
                         .offset = pages * kPage,
                         .length = section.bytes});
    pages += section.pages();
  }
  return pages;
}

ServedParts::Places ServedParts::places() const {
  Places places(ManifestTable::kFirstPart + table_.parts.size());
  std::uint64_t at = 0;
  for (const ManifestTable::Section& section : table_.sections) {
    for (const ManifestTable::Run& run : section.runs) {
      places[run.source].push_back({at, run});
      at += run.pages;
    }
  }
  return places;
}

void ServedParts::place(const std::vector<Placed>& places, const base::FileDescriptor& file,
                        const std::string& name, std::uint64_t first, base::ByteView bytes) {
  for (const auto& [at, run] : places) {
    if (image_.copies()) {
      image_.put(at, bytes.subspan(run.page * kPage, run.pages * kPage));
    } else {
      image_.map(at, file, name, first + run.page, run.pages);
    }
  }
}

Container ServedParts::open_part(const ManifestTable::Part& part, const base::FileDescriptor& file,
                                 const std::string& name, Loading loading) const {
  // Lookups go through the image; these mappings are for who verifies.
  Container opened =
      Container::open(file, name, copies(loading) ? Loading::copy : Loading::for_a_pass);
  // The image is a copy of it, and nothing of the part is left for who verifies later.
  if (copies(loading)) opened.verify(base::thread_count(0), [](std::uint64_t) {});
  if (opened.header().kind != Kind::part)
    opened.fail("is not a part, but the manifest " + manifest_.name() + " needs one");
  if (opened.header().build_id != manifest_.header().build_id)
    opened.fail("belongs to a different build than the manifest " + manifest_.name());
  if (manifest_.hash_tree() != HashTree::none && opened.hash_tree() == HashTree::none)
    opened.fail("has no hash tree, but the manifest " + manifest_.name() + " has one");
  if (opened.digest() != part.digest || opened.bytes() != part.bytes)
    opened.fail("is not the part that the manifest " + manifest_.name() +
                " was made of; make the manifest again");
  return opened;
}

void ServedParts::verify(unsigned threads,
                         const std::function<void(std::uint64_t)>& progress) const {
  manifest_.verify(threads, progress);
  for (const Container& part : parts_) part.verify(threads, progress);
}

base::Sink& ManifestSections::begin_section(std::uint32_t type, std::uint64_t tag) {
  end_page();
  sections_.push_back({.type = type, .tag = tag});
  return sink_;
}

void ManifestSections::set_part(std::uint32_t part, base::ByteView file, Check check) {
  check_borrowed();
  source_ = ManifestTable::kFirstPart + part;
  file_ = file;
  check_ = std::move(check);
}

void ManifestSections::set_no_part() {
  check_borrowed();
  file_ = {};
}

/// A page that ends elsewhere than in the part is the manifest's own.
void ManifestSections::check_borrowed() {
  for (const base::ByteView some : borrowed_) check_(some);
  borrowed_.clear();
  same_.reset();
}

const std::vector<ManifestTable::Section>& ManifestSections::finish() {
  end_page();
  return sections_;
}

std::optional<std::uint64_t> ManifestSections::place_of(base::ByteView bytes) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(file_.data());
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (at < begin || at - begin >= file_.size()) return std::nullopt;
  return at - begin;
}

void ManifestSections::append(base::ByteView bytes) {
  sections_.back().bytes += bytes.size();
  while (!bytes.empty()) {
    const std::optional<std::uint64_t> place = place_of(bytes);
    if (page_.empty() && place && *place % kPage == 0 && bytes.size() >= kPage) {
      const std::uint64_t pages = bytes.size() / kPage;
      add_run(source_, *place / kPage, pages);
      bytes = bytes.subspan(pages * kPage);
      continue;
    }
    const base::ByteView some = bytes.first(std::min(bytes.size(), kPage - page_.size()));
    const bool goes_on = place && *place % kPage == page_.size() &&
                         (page_.empty() || (same_ && *same_ == *place / kPage));
    same_ = goes_on ? std::optional(*place / kPage) : std::nullopt;
    if (place) borrowed_.push_back(some);
    page_.insert(page_.end(), some.begin(), some.end());
    bytes = bytes.subspan(some.size());
    if (page_.size() == kPage) end_page();
  }
}

void ManifestSections::end_page() {
  if (page_.empty()) return;
  if (page_.size() == kPage && same_) {
    add_run(source_, *same_, 1);
    borrowed_.clear();
  } else if (std::ranges::all_of(page_, [](std::byte b) { return b == std::byte{0}; })) {
    add_run(ManifestTable::kNothing, 0, 1);
  } else {
    page_.resize(kPage);
    add_run(ManifestTable::kOwn, own_.append(page_) / kPage, 1);
  }
  check_borrowed();
  page_.clear();
}

void ManifestSections::add_run(std::uint32_t source, std::uint64_t page, std::uint64_t pages) {
  std::vector<ManifestTable::Run>& runs = sections_.back().runs;
  if (!runs.empty() && runs.back().source == source) {
    ManifestTable::Run& last = runs.back();
    const bool goes_on = source == ManifestTable::kNothing
                             ? last.pages + pages <= ManifestTable::kMostZeroPages
                             : last.page + last.pages == page;
    if (goes_on) {
      last.pages += pages;
      return;
    }
  }
  runs.push_back({source, page, pages});
}

PageImage::PageImage(std::uint64_t pages, Loading loading, const std::string& name)
    : loading_(loading),
      name_(name),
      copies_(file::copies(loading) ||
              ::sysconf(_SC_PAGESIZE) != static_cast<long>(layout::kPageAlignment)) {
  const std::size_t size = pages * layout::kPageAlignment;
  if (size == 0) return;
  const int protection = copies_ ? PROT_READ | PROT_WRITE : PROT_READ;
  const int reserve = copies_ ? 0 : MAP_NORESERVE;
  void* const memory =
      ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
  if (memory == MAP_FAILED) base::throw_file_error(name, "not enough memory for its pages", errno);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

PageImage::~PageImage() {
  if (!bytes_.empty()) ::munmap(address(0), bytes_.size());
}

std::byte* PageImage::address(std::uint64_t page) const noexcept {
  return const_cast<std::byte*>(bytes_.data()) + page * layout::kPageAlignment;
}

void PageImage::map(std::uint64_t at, const base::FileDescriptor& file, const std::string& name,
                    std::uint64_t page, std::uint64_t pages) {
  const auto offset = static_cast<off_t>(page * layout::kPageAlignment);
  const std::size_t size = pages * layout::kPageAlignment;
  const bool whole = loading_ == Loading::preload || loading_ == Loading::lock;
  if (whole) {
    (void)::posix_fadvise(file.get(), offset, static_cast<off_t>(size), POSIX_FADV_WILLNEED);
  }
  const int populate = whole ? MAP_POPULATE : 0;
  if (::mmap(address(at), size, PROT_READ, MAP_SHARED | MAP_FIXED | populate, file.get(), offset) ==
      MAP_FAILED) {
    base::throw_file_error(name, "cannot map", errno);
  }
}

void PageImage::put(std::uint64_t at, base::ByteView bytes) {
  if (bytes.empty()) return;
  if (!copies_) ::mprotect(address(at), bytes.size(), PROT_READ | PROT_WRITE);
  std::memcpy(address(at), bytes.data(), bytes.size());
}

void PageImage::finish() {
  if (bytes_.empty()) return;
  ::mprotect(address(0), bytes_.size(), PROT_READ);
  if (loading_ == Loading::mapped) ::madvise(address(0), bytes_.size(), MADV_RANDOM);
  if (loading_ == Loading::for_a_pass) ::madvise(address(0), bytes_.size(), MADV_SEQUENTIAL);
  if (loading_ == Loading::lock && ::mlock(address(0), bytes_.size()) != 0) {
    base::throw_system_error(name_ + ": cannot lock its " + std::to_string(bytes_.size()) +
                                 " bytes in memory (see RLIMIT_MEMLOCK, ulimit -l)",
                             errno);
  }
}

}  // namespace crivo::file
