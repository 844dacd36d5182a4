// SPDX-License-Identifier: Apache-2.0
/// A clubcard as it stands in a file, and the index of a directory of clubcards (index.bin), which
/// says which of them cover the certificates that a log dated in a range: version 4 of C2SP's
/// upki-revocation, which has no checksum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "foreign/clubcard_key.hpp"

namespace crivo::foreign {

/// The version that is read and written.
inline constexpr std::byte kClubcardVersion{4};
inline constexpr std::size_t kLogBytes = 32;

/// Certificates that a clubcard answers for: those that a log dated from `low` to `high`, in
/// milliseconds since 1970, both included.
struct ClubcardCoverage {
  std::array<std::byte, kLogBytes> log{};
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// The part of an issuer.
struct ClubcardIssuer {
  base::ByteView issuer;
  std::uint32_t approx_rows = 0;
  std::uint8_t approx_columns = 0;
  std::uint32_t approx_offset = 0;
  std::uint32_t exact_rows = 0;
  std::uint32_t exact_offset = 0;
  bool inverted = false;
  base::ByteView exceptions;  ///< serial numbers, each behind its length; all are there
};

/// A column of bits as the file has it: words of 64, the highest byte first.
class ClubcardColumn {
 public:
  ClubcardColumn() = default;
  explicit ClubcardColumn(base::ByteView words) noexcept : words_(words) {}

  std::size_t words() const noexcept { return words_.size() / 8; }
  /// The 256 bits from `row` on; those that the column does not have are 0.
  Coefficients bits_from(std::uint64_t row) const noexcept {
    return window_of(row, [this](std::uint64_t i) { return word(i); });
  }

 private:
  std::uint64_t word(std::uint64_t index) const noexcept {
    return index < words() ? base::load_be<std::uint64_t>(words_.data() + 8 * index) : 0;
  }

  base::ByteView words_;
};

/// The parts of a clubcard, in the bytes of its file.
class ClubcardFile {
 public:
  /// Whether a file begins as a clubcard does, which tells little: there are but two bytes.
  static bool may_be(base::ByteView bytes) noexcept {
    return bytes.size() >= 2 && bytes[0] == kClubcardVersion && bytes[1] == std::byte{0};
  }
  /// Reads the whole structure, at a cost that grows with the issuers and their exceptions; the
  /// bytes outlive it. Throws Error(corrupt), which begins with `name`.
  ClubcardFile(base::ByteView bytes, const std::string& name);

  const std::vector<ClubcardCoverage>& coverage() const noexcept { return coverage_; }
  /// Ascending by their issuers.
  const std::vector<ClubcardIssuer>& issuers() const noexcept { return issuers_; }
  std::span<const ClubcardColumn> approx() const noexcept { return approx_; }
  const ClubcardColumn& exact() const noexcept { return exact_; }

  /// Null for an issuer that is not enrolled.
  const ClubcardIssuer* find(base::ByteView issuer) const noexcept;
  /// Whether a certificate of the block's issuer is in the set.
  bool contains(const ClubcardIssuer& block, std::string_view serial) const;
  /// Whether one dated so by that log is answered for.
  bool covers(base::ByteView log, std::uint64_t time) const noexcept;

 private:
  bool passes(const ClubcardIssuer& block, std::string_view serial) const;

  std::vector<ClubcardCoverage> coverage_;
  std::vector<ClubcardIssuer> issuers_;
  std::vector<ClubcardColumn> approx_;
  ClubcardColumn exact_;
};

/// The key of a certificate.
ClubcardKey clubcard_key(base::ByteView issuer, std::string_view serial);

/// Reads fields in turn, and nothing beyond the end.
class Fields {
 public:
  /// `what` is what messages call the file's content, behind its name; both outlive this.
  Fields(base::ByteView bytes, const std::string& name, const char* what)
      : bytes_(bytes), name_(name), what_(what) {}

  template <typename Int>
  Int number() {
    if constexpr (sizeof(Int) == 1) {
      return std::to_integer<Int>(take(1)[0]);
    } else {
      return base::load_be<Int>(take(sizeof(Int)).data());
    }
  }
  base::ByteView take(std::uint64_t count) {
    if (count > bytes_.size()) fail("ends in the middle of a field");
    const base::ByteView taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  /// The number of things that follow, of which each takes `least` bytes or more.
  template <typename Int>
  std::size_t count_of(std::uint64_t least) {
    const Int count = number<Int>();
    if (std::uint64_t{count} * least > bytes_.size()) fail("names more than it holds");
    return count;
  }
  bool at_end() const noexcept { return bytes_.empty(); }
  /// Throws Error(corrupt).
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::corrupt, name_ + ": the " + what_ + " " + problem, {.file = name_});
  }

 private:
  base::ByteView bytes_;
  const std::string& name_;
  const char* what_;
};

inline constexpr std::string_view kClubcardIndexMagic = "upkiidx1";
/// The bytes of a name, filled up with zeros; of a log in the directory; of an entry of a log.
inline constexpr std::size_t kIndexNameBytes = 32;
inline constexpr std::size_t kIndexLogBytes = kLogBytes + 10;
inline constexpr std::size_t kIndexEntryBytes = 18;

/// Whether an index can name a file so: letters, digits and "-._" alone, so that no name leads out
/// of the directory.
bool is_clubcard_name(std::string_view name) noexcept;

/// The names and entries of an index.
struct ClubcardIndex {
  /// An entry of a log: the clubcard with that number covers certificates from `low` to `high`.
  struct Entry {
    std::uint16_t clubcard = 0;
    ClubcardCoverage coverage;
  };
  std::vector<std::string> names;
  std::vector<Entry> entries;
};

/// Reads all of it. Throws Error(corrupt), which begins with `name`.
ClubcardIndex read_clubcard_index(base::ByteView bytes, const std::string& name);

}  // namespace crivo::foreign
