// SPDX-License-Identifier: Apache-2.0
/// Containers whose pages are read when they are wanted (OpenMode::read), and the checks of a
/// manifest's pages, which lie in its parts.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/page_checks.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "file/manifest.hpp"
#include "file/page_sums.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

void load(const PagedBytes& paged, base::ByteView bytes, const std::string& name) {
  if (!paged.load(bytes))
    throw Error(ErrorKind::corrupt, name + ": damaged: its header or table cannot be read",
                {.file = name});
}

}  // namespace

Container Container::open_by_pages(const base::FileDescriptor& file, const std::string& name) {
  MappedFile memory = MappedFile::by_pages(file, name);
  const PagedBytes paged = memory.paged();
  if (!paged.has_file()) return open(std::move(memory), name, Loading::copy);
  const base::ByteView bytes = memory.bytes();
  load(paged, bytes.first(layout::kHeaderBytes), name);
  // Where that is no place of a table, the header is damaged, which is found below.
  const auto table = base::load_le<std::uint64_t>(bytes.data() + layout::kTableOffsetAt);
  constexpr std::uint64_t kMostBytes = kMaxSections * layout::kEntryBytes + layout::kFooterBytes;
  if (table < bytes.size() && bytes.size() - table <= kMostBytes)
    load(paged, bytes.subspan(table), name);
  Container container(bytes, name);
  container.mapping_ = std::move(memory);
  const KindRow& kind = *find_kind(container.header_.kind);
  if (kind.kind == Kind::records) return container;
  if (!kind.touches || !container.page_sums_) return open(file, name, Loading::copy);
  container.check_what_is_touched();
  return container;
}

namespace {

/// The checks of an image, whose pages are those of several files.
class ServedPages final : public base::PageChecks {
 public:
  struct Run {
    std::uint64_t at;  ///< in the image
    std::uint64_t page;
    /// Null of zeros, and of a file that was checked whole.
    std::shared_ptr<const page_sums::TouchedPages> file;
  };
  ServedPages(base::ByteView image, std::vector<Run> runs)
      : PageChecks(image, Where::in_memory),
        image_(image),
        runs_(std::move(runs)),
        guarded_(image, this) {}

 private:
  bool is_sound(std::uint64_t page) const noexcept override {
    const Run& run = *std::prev(std::ranges::upper_bound(runs_, page, {}, &Run::at));
    return run.file == nullptr ||
           run.file->has_its_sum(run.page + page - run.at,
                                 image_.data() + page * page_sums::kPageBytes);
  }

  base::ByteView image_;
  std::vector<Run> runs_;  ///< by their places
  base::GuardedBytes guarded_;
};

/// Null of one that has no sums, which is checked whole. Throws Error(corrupt).
std::shared_ptr<const page_sums::TouchedPages> touched_pages_of(const Container& file) {
  Container again = Container::over(file.file_bytes(), file.name());
  again.check_what_is_touched();
  if (!file.page_sums()) return nullptr;
  return std::make_shared<const page_sums::TouchedPages>(file.file_bytes(), *file.page_sums());
}

}  // namespace

std::shared_ptr<const base::PageChecks> ServedParts::page_checks() const {
  if (parts_.empty()) return nullptr;
  std::vector<std::shared_ptr<const page_sums::TouchedPages>> files{nullptr,
                                                                    touched_pages_of(manifest_)};
  for (const Container& part : parts_) files.push_back(touched_pages_of(part));
  const base::ByteView own = manifest_.require(kManifestPagesSection, "manifest's pages");
  const std::uint64_t own_page =
      static_cast<std::uint64_t>(own.data() - manifest_.file_bytes().data()) /
      page_sums::kPageBytes;
  std::vector<ServedPages::Run> runs;
  std::uint64_t at = 0;
  for (const ManifestTable::Section& section : table_.sections) {
    for (const ManifestTable::Run& run : section.runs) {
      runs.push_back(
          {at, run.page + (run.source == ManifestTable::kOwn ? own_page : 0), files[run.source]});
      at += run.pages;
    }
  }
  return std::make_shared<const ServedPages>(bytes(), std::move(runs));
}

}  // namespace crivo::file
