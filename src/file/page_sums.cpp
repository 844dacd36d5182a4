// SPDX-License-Identifier: Apache-2.0
#include "file/page_sums.hpp"

#include <xxhash.h>

#include <algorithm>

namespace crivo::file::page_sums {
namespace {

/// The sums of all pieces into which a list was cut.
base::Bytes sums_of_pieces(base::ByteView list, hashing::Crc32c sum) {
  base::FieldWriter sums;
  for (std::uint64_t at = 0; at < list.size(); at += kPieceBytes)
    sums.u32(sum(list.subspan(at, std::min(kPieceBytes, list.size() - at)), at / kPieceBytes));
  return sums.take();
}

}  // namespace

std::uint64_t check_of(base::ByteView sums, const Shape& shape) noexcept {
  const base::ByteView last = sums.subspan(shape.second == 0 ? 0 : shape.first);
  return XXH3_64bits(last.data(), last.size());
}

Writer::Writer() : sum_(hashing::crc32c()) {}

void Writer::add(base::ByteView bytes) {
  take(bytes, Use::sum);
}
void Writer::skip(base::ByteView bytes) {
  take(bytes, Use::skip);
}

void Writer::take(base::ByteView bytes, Use use) {
  while (!bytes.empty()) {
    const base::ByteView some =
        bytes.first(std::min<std::size_t>(bytes.size(), kPageBytes - before_ - page_.size()));
    has_summed_ = has_summed_ || use == Use::sum;
    bytes = bytes.subspan(some.size());
    if (some.size() == kPageBytes) {
      end_page(some);
      continue;
    }
    page_.insert(page_.end(), some.begin(), some.end());
    if (before_ + page_.size() == kPageBytes) end_page(page_);
  }
}

void Writer::end_page(base::ByteView bytes) {
  sums_.u32(has_summed_ ? sum_(bytes, sums_.view().size() / kSumBytes) : 0);
  page_.clear();
  has_summed_ = false;
  before_ = 0;
}

base::Bytes Writer::finish() {
  if (!page_.empty()) end_page(page_);
  base::Bytes sums = sums_.take();
  if (sums.size() <= kPieceBytes) return sums;
  const base::Bytes above = sums_of_pieces(sums, sum_);
  sums.insert(sums.end(), above.begin(), above.end());
  return sums;
}

Checker::Checker(base::ByteView file, std::uint64_t end, base::ByteView sums)
    : sum_(hashing::crc32c()), file_(file), end_(end), sums_(sums), shape_(end) {}

bool Checker::is_sound_piece(std::uint64_t piece) const noexcept {
  return sum_(this->piece(piece), piece) == load(shape_.first + piece * kSumBytes);
}

namespace {

base::PageChecks::Where where(const PagedBytes& paged) noexcept {
  return paged.has_file() ? base::PageChecks::Where::in_file : base::PageChecks::Where::in_memory;
}

}  // namespace

TouchedPages::TouchedPages(base::ByteView file, const Checker& checker, const PagedBytes& paged)
    : PageChecks(file, where(paged)),
      file_(file),
      paged_(paged),
      pieces_(checker, paged),
      checker_(checker),
      guarded_(file, this) {}

TouchedPages::Pieces::Pieces(const Checker& checker, const PagedBytes& paged)
    : PageChecks(checker.sums(), where(paged)), checker_(checker), paged_(paged) {}

bool TouchedPages::Pieces::is_sound(std::uint64_t piece) const noexcept {
  return (!paged_.has_file() || paged_.load(checker_.piece(piece))) &&
         checker_.is_sound_piece(piece);
}

bool TouchedPages::has_its_sum(std::uint64_t page, const std::byte* bytes) const noexcept {
  if (page >= checker_.pages()) return false;
  const std::uint64_t at = page * kSumBytes;
  return (checker_.pieces() == 0 || pieces_.touch(checker_.sums().data() + at, kSumBytes)) &&
         checker_.is_sound(page, bytes);
}

bool TouchedPages::is_sound(std::uint64_t page) const noexcept {
  return page < checker_.pages() && (!paged_.has_file() || paged_.load(checker_.page(page))) &&
         has_its_sum(page, file_.data() + page * kPageBytes);
}

base::ByteView Checker::page(std::uint64_t number, const std::byte* bytes) const noexcept {
  const std::uint64_t begin = number == 0 ? layout::kHeaderBytes : 0;
  return {bytes + begin, std::min(kPageBytes, end_ - number * kPageBytes) - begin};
}

bool Checker::is_sound(std::uint64_t page, const std::byte* bytes) const noexcept {
  return sum_(this->page(page, bytes), page) == load(page * kSumBytes);
}

}  // namespace crivo::file::page_sums
