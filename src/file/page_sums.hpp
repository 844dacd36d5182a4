// SPDX-License-Identifier: Apache-2.0
/// The sums of a file's pages ("Page sums" in formats/crivo-1.md): so small that a lookup can check
/// what it reads, and nothing beside it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "file/layout.hpp"
#include "file/mapped_file.hpp"
#include "hashing/crc32c.hpp"

namespace crivo::file::page_sums {

inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << base::PageChecks::kPageBits;
inline constexpr std::uint64_t kSumBytes = sizeof(std::uint32_t);
/// A longer list is cut into pieces of a page of the file each.
inline constexpr std::uint64_t kPieceBytes = kPageBytes;

/// The pages of `bytes` bytes.
constexpr std::uint64_t pages_of(std::uint64_t bytes) noexcept {
  return bytes / kPageBytes + (bytes % kPageBytes != 0 ? 1 : 0);
}

/// Whether a writer gives sums to a file whose sections end there: one of a single chunk is read
/// whole when it is opened.
constexpr bool are_of(std::uint64_t end) noexcept {
  return end > layout::kChunkBytes;
}

/// The lists of a file whose sections end at `end`: a sum for each page, and, if those are more
/// than a piece, one for each piece of them.
struct Shape {
  explicit constexpr Shape(std::uint64_t end) noexcept
      : pages(pages_of(end)),
        first(pages * kSumBytes),
        second(first <= kPieceBytes ? 0 : pages_of(first) * kSumBytes) {}

  constexpr std::uint64_t bytes() const noexcept { return first + second; }
  /// That of the section: pieces are pages of the file.
  constexpr std::uint64_t alignment() const noexcept {
    return second == 0 ? layout::kAlignment : layout::kPageAlignment;
  }

  std::uint64_t pages;
  std::uint64_t first;   ///< bytes of the first list
  std::uint64_t second;  ///< of the second, 0 if there is none
};

/// Returns the section's check, as the table has it: XXH3-64 of its last list.
std::uint64_t check_of(base::ByteView sums, const Shape& shape) noexcept;

/// Sums the pages of a file as they are written, from the end of its header on.
class Writer {
 public:
  Writer();
  void add(base::ByteView bytes);
  /// Takes bytes that have checks of their own: a page of nothing else has the sum 0.
  void skip(base::ByteView bytes);

  /// The section's bytes. Call once, last.
  base::Bytes finish();

 private:
  enum class Use { sum, skip };
  void take(base::ByteView bytes, Use use);
  void end_page(base::ByteView bytes);

  hashing::Crc32c sum_;
  base::Bytes page_;         ///< what there is of the page that is not whole yet
  bool has_summed_ = false;  ///< some of it
  std::uint64_t before_ = layout::kHeaderBytes;  ///< what page 0 has before its first byte
  base::FieldWriter sums_;
};

/// Compares pages of a file with the section of their sums, which must outlive it.
class Checker {
 public:
  /// `file` has its sections before `end`; `sums` are the section's bytes, as many as Shape has.
  Checker(base::ByteView file, std::uint64_t end, base::ByteView sums);

  std::uint64_t pages() const noexcept { return shape_.pages; }
  /// The bytes of a page that are summed.
  base::ByteView page(std::uint64_t number) const noexcept {
    return page(number, file_.data() + number * kPageBytes);
  }
  /// Whether the last list has its check: of what check() compares with.
  bool has_check(std::uint64_t check) const noexcept { return check_of(sums_, shape_) == check; }
  /// Whether the piece of the first list that has the page's sum is sound.
  bool is_sound_piece(std::uint64_t piece) const noexcept;
  /// Whether the page has its sum.
  bool is_sound(std::uint64_t page) const noexcept {
    return is_sound(page, file_.data() + page * kPageBytes);
  }
  /// The same of its bytes elsewhere.
  bool is_sound(std::uint64_t page, const std::byte* bytes) const noexcept;
  std::uint64_t pieces() const noexcept { return shape_.second / kSumBytes; }
  static std::uint64_t piece_of(std::uint64_t page) noexcept {
    return page / (kPieceBytes / kSumBytes);
  }
  base::ByteView sums() const noexcept { return sums_; }
  /// Those that has_check() compares.
  base::ByteView last_list() const noexcept {
    return sums_.subspan(shape_.second == 0 ? 0 : shape_.first);
  }
  /// A piece of the first list.
  base::ByteView piece(std::uint64_t number) const noexcept {
    const std::uint64_t at = number * kPieceBytes;
    return sums_.subspan(at, std::min(kPieceBytes, shape_.first - at));
  }

 private:
  base::ByteView page(std::uint64_t number, const std::byte* bytes) const noexcept;
  std::uint32_t load(std::uint64_t at) const noexcept {
    return base::load_le<std::uint32_t>(sums_.data() + at);
  }

  hashing::Crc32c sum_;
  base::ByteView file_;
  std::uint64_t end_;
  base::ByteView sums_;
  Shape shape_;
};

/// Compares the pages that lookups touch, and the pieces of the list that they need for it. Of
/// bytes that were checked already, such as header and table, nothing is touched. Of what is paged,
/// pages are read then.
class TouchedPages final : public base::PageChecks {
 public:
  TouchedPages(base::ByteView file, const Checker& checker, const PagedBytes& paged = {});

  /// Whether these are the bytes of a page of the file.
  bool has_its_sum(std::uint64_t page, const std::byte* bytes) const noexcept;

 private:
  /// The same of the section of sums, whose pages are pieces.
  class Pieces final : public base::PageChecks {
   public:
    Pieces(const Checker& checker, const PagedBytes& paged);

   private:
    bool is_sound(std::uint64_t piece) const noexcept override;

    Checker checker_;
    PagedBytes paged_;
  };

  bool is_sound(std::uint64_t page) const noexcept override;

  base::ByteView file_;
  PagedBytes paged_;
  Pieces pieces_;
  Checker checker_;
  base::GuardedBytes guarded_;
};

}  // namespace crivo::file::page_sums
