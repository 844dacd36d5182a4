// SPDX-License-Identifier: Apache-2.0
// Bloom filters of a Parquet file's columns, in a copy of it.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/error.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"
#include "foreign/build/parquet_pages.hpp"
#include "foreign/parquet_file.hpp"
#include "hashing/key_hash.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/split_block/build/split_block.hpp"

namespace crivo::foreign {

using filter::split_block::kBlockBytes;

namespace {

std::uint64_t rate_of(double fpr) {
  if (!(fpr >= 0x1p-24 && fpr < 1))
    base::refuse_option("fpr", fpr, "is not between 2^-24 and 1, as Parquet's filters need");
  return bits::fixed_part(fpr);
}

}  // namespace

ParquetFilter::ParquetFilter(std::uint64_t most, double fpr) try : rate_(rate_of(fpr)) {
  const std::uint64_t blocks = filter::split_block::blocks_for(most, rate_);
  // A header counts the bytes in 31 bits.
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 25;
  if (blocks > kMostBlocks)
    throw Error(ErrorKind::usage,
                "a filter of Parquet's has at most 1 GiB, which is too little for " +
                    std::to_string(most) + " values at this rate",
                {.remedy = "fpr"});
  blocks_.resize(std::bit_ceil(blocks) * kBlockBytes);
} catch (...) {
  base::rethrow_as_error();
}

void ParquetFilter::add(std::string_view value) {
  add_hash(hashing::xxh64(value));
}

void ParquetFilter::add_hash(std::uint64_t hash) noexcept {
  filter::split_block::add_any({&hash, 1}, blocks_.size() / kBlockBytes, blocks_.data());
}

std::vector<std::byte> ParquetFilter::finish() try {
  blocks_.resize(filter::split_block::fold(blocks_, rate_) * kBlockBytes);
  base::Bytes bytes = parquet::filter_header(blocks_.size());
  bytes.insert(bytes.end(), blocks_.begin(), blocks_.end());
  return bytes;
} catch (...) {
  base::rethrow_as_error();
}

namespace parquet {
namespace {

/// Where the filters of a column are, in the order of the row groups.
struct WrittenFilters {
  std::size_t column = 0;
  std::vector<std::pair<base::Bytes, base::Bytes>> places;  ///< encoded: offset and length
};

std::vector<WrittenFilters> chosen_columns(const File& file, std::span<const std::string> columns) {
  std::vector<WrittenFilters> chosen;
  for (const std::string& name : columns) {
    const std::size_t column = file.column(name);
    if (!file.columns()[column].has_one_form)
      file.refuse("column '" + name + "' is of type " +
                  std::string(name_of(file.columns()[column].type)) +
                  ", or a DECIMAL or FLOAT16 in it, of which equal values can have other bytes: "
                  "no filter can be asked for them");
    if (std::ranges::count(chosen, column, &WrittenFilters::column) == 0)
      chosen.push_back({column, {}});
  }
  return chosen;
}

/// The footer with the places of the filters.
base::Bytes new_footer(const File& file, const std::vector<WrittenFilters>& filters) {
  std::vector<base::Bytes> groups;
  for (std::size_t g = 0; g < file.row_groups().size(); ++g) {
    thrift::Structure group(file.row_groups()[g], file.name());
    const auto old_chunks = group.list(kColumns, thrift::Type::structure);
    std::vector<base::Bytes> chunks;
    for (std::size_t c = 0; c < old_chunks.size(); ++c) {
      const auto own = std::ranges::find(filters, c, &WrittenFilters::column);
      if (own == filters.end()) {
        chunks.emplace_back(old_chunks[c].begin(), old_chunks[c].end());
        continue;
      }
      thrift::Structure chunk(old_chunks[c], file.name());
      thrift::Structure meta_data(*chunk.structure(kMetaData), file.name());
      meta_data.set(kFilterOffset, thrift::Type::i64, own->places[g].first);
      meta_data.set(kFilterLength, thrift::Type::i32, own->places[g].second);
      const base::Bytes encoded = meta_data.encode();
      chunk.set(kMetaData, thrift::Type::structure, encoded);
      chunks.push_back(chunk.encode());
    }
    const base::Bytes columns = thrift::encode_list(thrift::Type::structure, chunks);
    group.set(kColumns, thrift::Type::list, columns);
    groups.push_back(group.encode());
  }
  const base::Bytes encoded = thrift::encode_list(thrift::Type::structure, groups);
  thrift::Structure footer = file.footer();
  footer.set(kRowGroups, thrift::Type::list, encoded);
  return footer.encode();
}

/// The hashes of the values of a chunk.
std::vector<std::uint64_t> hashes_of(const File& file, std::size_t row_group, std::size_t column,
                                     std::uint64_t memory_bytes, Progress& progress) {
  std::vector<std::uint64_t> hashes;
  base::CancelCheck check(&progress);
  for_each_value(file, file.columns()[column], file.chunk(row_group, column),
                 [&](std::string_view value) {
                   check();
                   if (hashes.size() * sizeof(std::uint64_t) >= memory_bytes)
                     throw Error(ErrorKind::io,
                                 file.name() +
                                     ": the values of a row group are hashed in memory, "
                                     "at 8 bytes each",
                                 {.remedy = "memory"});
                   hashes.push_back(hashing::xxh64(value));
                 });
  return hashes;
}

ParquetFiltersSummary write_filters(const File& file, std::span<const std::string> columns,
                                    double fpr, file::PendingFile& output,
                                    index::BuildFrame& frame) {
  constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
  std::vector<WrittenFilters> filters = chosen_columns(file, columns);
  Progress& progress = frame.context().progress;
  constexpr Progress::Phase kPhases[] = {{"copy", 1}, {"filters", 4}, {"write", 1}};
  progress.plan(kPhases);
  progress.begin("copy", file.body_bytes(), Progress::Unit::bytes);
  file::Appender copy(output);
  for (std::uint64_t at = 0; at < file.body_bytes(); at += kCopyBytes) {
    const std::uint64_t bytes = std::min<std::uint64_t>(kCopyBytes, file.body_bytes() - at);
    copy.append(file.bytes().subspan(at, bytes));
    progress.add(bytes);
  }
  ParquetFiltersSummary summary{.row_groups = file.row_groups().size()};
  progress.begin("filters", summary.row_groups);
  for (std::size_t g = 0; g < summary.row_groups; ++g) {
    for (WrittenFilters& each : filters) {
      const auto hashes = hashes_of(file, g, each.column, frame.memory().budget().bytes, progress);
      ParquetFilter filter(hashes.size(), fpr);
      for (const std::uint64_t hash : hashes) filter.add_hash(hash);
      const std::vector<std::byte> bytes = filter.finish();
      each.places.emplace_back(thrift::encode_integer(static_cast<std::int64_t>(copy.size())),
                               thrift::encode_integer(static_cast<std::int64_t>(bytes.size())));
      copy.append(bytes);
      summary.filter_bytes += bytes.size();
      ++summary.filters;
    }
    progress.add(1);
  }
  progress.begin("write", 0);
  const base::Bytes footer = new_footer(file, filters);
  if (footer.size() > UINT32_MAX) file.refuse("the footer has no room for more");
  copy.append(footer);
  copy.append(base::FieldWriter()
                  .u32(static_cast<std::uint32_t>(footer.size()))
                  .bytes(base::as_bytes(kMagic))
                  .view());
  copy.flush();
  summary.bytes = copy.size();
  return summary;
}

}  // namespace
}  // namespace parquet

ParquetFiltersSummary write_parquet_filters(const std::filesystem::path& path,
                                            std::span<const std::string> columns, double fpr,
                                            const std::filesystem::path& output,
                                            const BuildOptions& options) try {
  (void)ParquetFilter(0, fpr);  // refuses a rate before anything is read
  index::BuildFrame frame(options);
  KeyInput inputs;
  inputs.paths.push_back(path.string());
  file::PendingFile file(frame.outputs().file(output, inputs));
  const file::MappedFile bytes(path, file::Loading::for_a_pass);
  const parquet::File parquet(bytes.bytes(), path.string());
  const ParquetFiltersSummary summary = parquet::write_filters(parquet, columns, fpr, file, frame);
  (void)file.publish();
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo::foreign
