// SPDX-License-Identifier: Apache-2.0
/// What structures over a file that is not all here touch, and have fetched.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/page_checks.hpp"
#include "file/fetched_file.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

/// No more is wanted at once.
constexpr std::uint64_t kMostWanted = std::uint64_t{16} << 20;
/// What is wanted after something that is not here may be named by zeros in its place: of a longer
/// range the beginning is fetched, and the rest when it is wanted again.
constexpr std::uint64_t kMostWantedLater = layout::kChunkBytes;

}  // namespace

/// Which pages are here.
class FetchedFile::Pages final : public base::PageChecks {
 public:
  explicit Pages(FetchedFile& file) : PageChecks(file.bytes_, Where::in_file), file_(file) {}
  using PageChecks::forget_compared;

 private:
  bool is_sound(std::uint64_t page) const noexcept override {
    const std::uint64_t begin = page << kPageBits;
    return file_.is_here(
        {begin, std::min(std::uint64_t{1} << kPageBits, file_.bytes_.size() - begin)});
  }
  bool are_sound(base::ByteView bytes) const noexcept override { return file_.has(bytes); }

  FetchedFile& file_;
};

Container FetchedFile::opened() {
  wanted_.reserve(kMostWanted / layout::kChunkBytes + 1);  // so that no lookup allocates
  if (pages_ == nullptr) pages_ = std::make_shared<Pages>(*this);
  return Container::awaited(bytes_, name_, *this, pages_);
}

template <typename Use>
void FetchedFile::for_each_part(const ByteRange& range, Use&& use) const {
  const std::uint64_t end = range.offset + range.length;
  for (const SectionEntry& section : container_->sections()) {
    const std::uint64_t first = std::max(range.offset, section.offset);
    const std::uint64_t last = std::min(end, section.offset + section.length);
    if (first < last) use(SectionPart{&section, first - section.offset, last - first});
  }
}

/// What lies between sections is padding, which nobody reads.
bool FetchedFile::is_here(const ByteRange& range) const noexcept {
  bool is_here = true;
  for_each_part(range, [&](const SectionPart& part) {
    if (is_copied(part)) return;
    const std::uint64_t last = (part.begin + part.length - 1) / layout::kChunkBytes;
    for (std::uint64_t chunk = part.begin / layout::kChunkBytes; chunk <= last; ++chunk) {
      const std::uint64_t number = part.section->first_chunk + chunk;
      is_here = is_here && (kept_.contains(number) || cached_.contains(number));
    }
  });
  return is_here;
}

bool FetchedFile::has(base::ByteView some) noexcept {
  const ByteRange range{static_cast<std::uint64_t>(some.data() - bytes_.data()), some.size()};
  if (is_here(range)) return true;
  want(range);
  return false;
}

void FetchedFile::want(const ByteRange& range) noexcept {
  const std::scoped_lock lock(wanting_);
  if (wanted_bytes_ >= kMostWanted) return;
  const std::uint64_t length =
      wanted_.empty() ? range.length : std::min(range.length, kMostWantedLater);
  wanted_.push_back({range.offset, length});
  wanted_bytes_ += std::max(length, layout::kChunkBytes);
}

void FetchedFile::fetch_wanted(std::uint64_t ahead) {
  std::vector<SectionPart> parts;
  std::vector<SectionPart> kept;  // decoded at open, but told about at any time
  for (const ByteRange& range : wanted_) {
    for_each_part(range, [&](SectionPart part) {
      part.length = std::min(part.length + ahead, part.section->length - part.begin);
      (is_read_at_open(part.section->type) ? kept : parts).push_back(part);
    });
  }
  wanted_.clear();
  wanted_bytes_ = 0;
  require(kept, true);
  require(parts, false);
}

void FetchedFile::forget_pages() noexcept {
  if (pages_ != nullptr) pages_->forget_compared();
}

}  // namespace crivo::file
