// SPDX-License-Identifier: Apache-2.0
/// The checks of a manifest's pages, which lie in its parts.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/page_checks.hpp"
#include "file/manifest.hpp"
#include "file/page_sums.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
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
