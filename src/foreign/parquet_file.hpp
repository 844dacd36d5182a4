// SPDX-License-Identifier: Apache-2.0
/// The footer of an Apache Parquet file, as far as filters need it, and the filters that it names.
/// After the format's own parquet.thrift and BloomFilter.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "foreign/thrift.hpp"

namespace crivo::foreign::parquet {

inline constexpr std::string_view kMagic = "PAR1";
/// Behind the footer: its length, and the magic number.
inline constexpr std::size_t kEndBytes = 8;

/// The physical types, by their numbers.
enum class Physical : std::uint8_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  float32 = 4,
  float64 = 5,
  byte_array = 6,
  fixed = 7,
};

/// A leaf of the schema.
struct Column {
  std::string path;  ///< names with a dot between
  Physical type = Physical::boolean;
  std::uint64_t width = 0;  ///< of a value in bytes; 0: each has its own
  /// Whether equal values have equal bytes, so that a filter can be asked for them. Not so FLOAT,
  /// DOUBLE and FLOAT16 (two zeros), INT96, BOOLEAN, and a DECIMAL of any length.
  bool has_one_form = false;
  bool has_levels_of_repeats = false;
  bool has_levels_of_nulls = false;
};

/// The values of a column in a row group.
struct Chunk {
  std::uint64_t codec = 0;
  std::uint64_t values = 0;             ///< nulls included
  std::uint64_t begin = 0;              ///< of its pages in the file
  std::uint64_t bytes = 0;              ///< of them
  std::optional<std::uint64_t> filter;  ///< where its filter begins
};

/// Numbers of fields that are written.
inline constexpr std::int16_t kRowGroups = 4;      ///< of the footer
inline constexpr std::int16_t kColumns = 1;        ///< of a row group
inline constexpr std::int16_t kMetaData = 3;       ///< of a column in it
inline constexpr std::int16_t kFilterOffset = 14;  ///< of that
inline constexpr std::int16_t kFilterLength = 15;

/// A file whose footer was read. The bytes outlive it.
class File {
 public:
  static bool may_be(base::ByteView first) noexcept {
    return base::as_text(first).starts_with(kMagic);
  }
  /// Throws Error(corrupt), which begins with `name`; Error(usage) for a footer that is encrypted.
  File(base::ByteView bytes, std::string name);
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const noexcept { return name_; }
  base::ByteView bytes() const noexcept { return bytes_; }
  /// Where the footer begins: behind all that is in the file but its length.
  std::uint64_t body_bytes() const noexcept { return body_bytes_; }
  const thrift::Structure& footer() const noexcept { return *footer_; }
  const std::vector<base::ByteView>& row_groups() const noexcept { return row_groups_; }
  const std::vector<Column>& columns() const noexcept { return columns_; }

  /// The place of a column. Throws Error(usage), which names some of them, where there is none.
  std::size_t column(std::string_view path) const;
  /// Throws Error(corrupt) for a chunk that is not within the file; Error(usage) where it is
  /// encrypted, or in another file.
  Chunk chunk(std::size_t row_group, std::size_t column) const;
  /// Returns the places of the columns that have filters, in some row group.
  std::vector<std::size_t> filtered_columns() const;
  /// Returns the blocks of the filter of a chunk that has one. Throws Error(corrupt); Error(usage)
  /// for another filter than Parquet has had so far.
  base::ByteView filter(const Chunk& chunk) const;

  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  void read_columns();
  /// Reads an element of the schema and all below it.
  struct Walk;
  void read_element(Walk& walk, const Column& above, unsigned depth);
  std::vector<base::ByteView> chunks_of(std::size_t row_group) const;

  base::ByteView bytes_;
  std::string name_;
  std::uint64_t body_bytes_ = 0;
  std::optional<thrift::Structure> footer_;
  std::vector<base::ByteView> row_groups_;
  std::vector<Column> columns_;
};

/// The header of a filter of so many bytes.
base::Bytes filter_header(std::uint64_t bytes);

std::string_view name_of(Physical type) noexcept;

}  // namespace crivo::foreign::parquet
