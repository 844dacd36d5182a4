// SPDX-License-Identifier: Apache-2.0
/// Builds of files in formats of others (crivo/foreign.hpp). Of libcrivo-foreign.
///
///     crivo::KeyInput revoked{.paths = {"revoked.tsv"}};
///     revoked.universe = std::make_shared<const crivo::KeyInput>(all);
///     crivo::foreign::build("clubcard", revoked, "base.filter", {{"covers",
///     "LOG=0:1790000000000"}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/foreign.hpp"

namespace crivo::foreign {

/// Builds a file of one of formats() from keys, whole or not at all, as a build of its kind would:
/// the same input, and of the kind's choices (choices_of()) those that the format has a place for.
/// Throws Error: usage (another format; a choice or option that it has no place for), bad_input
/// (what it cannot hold, by file and line, before anything is built), io, cancelled.
CRIVO_API BuildSummary build(std::string_view format, const KeyInput& input, const Output& output,
                             const Choices& choices = {}, const BuildOptions& options = {});

/// Writes upki's index of clubcards that lie in its directory: for each log, which of them cover
/// it. Throws Error: usage (a name that the format cannot hold, another directory), corrupt, io.
CRIVO_API void write_clubcard_index(std::span<const std::filesystem::path> clubcards,
                                    const std::filesystem::path& output,
                                    const BuildOptions& options = {});

/// Builds a Bloom filter of Apache Parquet's, for values of which nobody knows how many are equal:
/// made for as many as there may be, and folded when all are there, as parquet-rs and Arrow do.
///
///     ParquetFilter filter(rows_of_group, 0.01);
///     for (const std::string& name : names) filter.add(name);
///     file.write(filter.finish());  // which ColumnMetaData's bloom_filter_offset then names
class CRIVO_API ParquetFilter {
 public:
  /// For up to so many distinct values, at a rate from 2^-24 to below 1. Memory: 11 to 22 bits for
  /// each at 1 %. Throws Error(usage).
  ParquetFilter(std::uint64_t most, double fpr);

  /// Adds a value: the bytes of its plain encoding, of BYTE_ARRAY without the length.
  void add(std::string_view value);
  /// Does the same by the XXH64 of that, with seed 0.
  void add_hash(std::uint64_t hash) noexcept;
  /// Halves the filter as long as it keeps to the rate, and returns it behind its header. Last
  /// call.
  std::vector<std::byte> finish();

 private:
  std::vector<std::byte> blocks_;
  std::uint64_t rate_;
};

/// Says what write_parquet_filters() did.
struct ParquetFiltersSummary {
  std::uint64_t row_groups = 0;
  std::uint64_t filters = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the copy
};

/// Copies a Parquet file, byte for byte, with a Bloom filter of each of some columns in each row
/// group behind them, which the footer names; what stood there of older filters of theirs is named
/// no more. Columns are called by their names with a dot between, and have values of INT32, INT64,
/// BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY (no DECIMAL of any length, no FLOAT16) in plain encoding or
/// by a dictionary, uncompressed or by SNAPPY, GZIP or ZSTD. Memory: 8 bytes for each value of a
/// row group, a value of its dictionary once. Throws Error: usage (no such column; what is not
/// read, by name; an output that exists), corrupt, io, cancelled; then there is no copy.
CRIVO_API ParquetFiltersSummary write_parquet_filters(const std::filesystem::path& path,
                                                      std::span<const std::string> columns,
                                                      double fpr,
                                                      const std::filesystem::path& output,
                                                      const BuildOptions& options = {});

/// Writes files of filters (not stores, chains or manifests) as blobs of a Puffin file of Apache
/// Iceberg, each by the name of its file, for the fields of a table with these ids. The type of the
/// blobs, "crivo-filter-provisional", is no agreed one. Throws Error: usage (a file that is no
/// filter, two of one name, a name that is no UTF-8), corrupt, io.
CRIVO_API void write_puffin(std::span<const std::filesystem::path> filters,
                            std::span<const std::uint32_t> fields,
                            const std::filesystem::path& output, const BuildOptions& options = {});

}  // namespace crivo::foreign
