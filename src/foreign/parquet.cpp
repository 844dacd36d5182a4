// SPDX-License-Identifier: Apache-2.0
/// The filters of a Parquet file as they are looked up: which row groups may hold a value.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/mapped_file.hpp"
#include "foreign/formats.hpp"
#include "foreign/parquet_file.hpp"
#include "hashing/key_hash.hpp"
#include "lookup/queries.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::foreign {
namespace {

using parquet::Column;
using parquet::Physical;

/// Whether a filter of whole blocks may hold a value.
bool may_hold(base::ByteView blocks, std::uint64_t hash) noexcept {
  using namespace filter::split_block;
  return holds(blocks.data() + kBlockBytes * block_of(hash, blocks.size() / kBlockBytes), hash);
}

/// The plain encoding of a number in decimal digits, of so many bytes. Nothing for what is none.
std::optional<std::string> plain_number(std::string_view text, std::size_t bytes) {
  const bool is_negative = text.starts_with('-');
  const auto size = base::number_in<std::uint64_t>(text.substr(is_negative ? 1 : 0));
  const unsigned bits = static_cast<unsigned>(8 * bytes);
  const std::uint64_t most =
      is_negative ? std::uint64_t{1} << (bits - 1) : UINT64_MAX >> (64 - bits);
  if (!size || *size > most) return {};
  std::string plain(sizeof(std::uint64_t), '\0');
  base::store_le(plain.data(), is_negative ? 0 - *size : *size);
  plain.resize(bytes);
  return plain;
}

class OpenedParquet final : public OpenIndex {
 public:
  OpenedParquet(const std::filesystem::path& path, const OpenOptions& options)
      : OpenIndex(path.string(), "filterset"),
        bytes_(path, file::loading(options.mode)),
        file_(bytes_.bytes(), path.string()) {}

  /// The filters do not tell.
  std::uint64_t size() const noexcept override { return 0; }
  FileInfo info() const override {
    FileInfo info;
    info.kind = kind();
    info.algorithm = "parquet";
    info.algorithm_name = "format";
    info.bytes = bytes_.bytes().size();
    info.hash = "xxh64";
    info.format_version = std::to_string(file_.footer().integer(1).value_or(0));
    const std::uint64_t groups = file_.row_groups().size();
    info.rows.push_back({"groups", groups, "row groups", std::to_string(groups)});
    const std::string names = names_of(file_.filtered_columns());
    info.rows.push_back({"columns", names, "filtered columns", names});
    return info;
  }
  /// That each filter is of whole blocks within the file; of the rest the footer alone is read.
  void verify(const Resources&) const override {
    for (const std::size_t column : file_.filtered_columns()) (void)filters_of(column);
  }

  void answer(const Key& key, const Visit& visit) override { tell(key.text(), 1, visit); }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for (std::size_t i = 0; i < keys.size(); ++i) tell(keys[i], i + 1, visit);
  }
  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    if (name != index::kFilterSetQueries[0].name) return OpenIndex::query(name, values, visit);
    choose(file_.column(values[0]));
  }

 private:
  using Filters = std::vector<std::optional<base::ByteView>>;

  std::string names_of(const std::vector<std::size_t>& columns) const {
    std::string names;
    for (const std::size_t column : columns)
      names += (names.empty() ? "" : ",") + file_.columns()[column].path;
    return names;
  }

  /// Those of a column's row groups, of which some may have none.
  Filters filters_of(std::size_t column) const {
    Filters filters;
    for (std::size_t group = 0; group < file_.row_groups().size(); ++group) {
      const parquet::Chunk chunk = file_.chunk(group, column);
      filters.emplace_back();
      if (chunk.filter) filters.back() = file_.filter(chunk);
    }
    return filters;
  }

  void choose(std::size_t column) {
    const Column& chosen = file_.columns()[column];
    Filters filters = filters_of(column);
    const bool has_one =
        std::ranges::any_of(filters, [](const auto& each) { return each.has_value(); });
    if (!has_one || !chosen.has_one_form)
      file_.refuse("column '" + chosen.path + "' has no Bloom filters that can be asked");
    column_ = &chosen;
    filters_ = std::move(filters);
  }
  void choose_only() {
    const std::vector<std::size_t> columns = file_.filtered_columns();
    if (columns.empty()) file_.refuse("has no Bloom filters");
    if (columns.size() > 1)
      throw Error(ErrorKind::usage,
                  name() + ": several columns have Bloom filters: " + names_of(columns),
                  {.remedy = "group"});
    choose(columns.front());
  }

  std::string plain(std::string_view key, std::uint64_t line) const {
    const auto refuse = [&](const std::string& problem) {
      throw Error(ErrorKind::bad_input,
                  "column '" + column_->path + "' of " + name() + " " + problem, {.line = line});
    };
    std::optional<std::string> made(key);
    if (column_->type == Physical::int32 || column_->type == Physical::int64) {
      made = plain_number(key, column_->width);
      if (!made)
        refuse("has numbers of " + std::to_string(8 * column_->width) + " bits: a key is none");
    } else if (column_->width != 0 && key.size() != column_->width) {
      refuse("has values of " + std::to_string(column_->width) + " bytes: a key has " +
             std::to_string(key.size()));
    }
    return *made;
  }

  void tell(std::string_view key, std::uint64_t line, const Visit& visit) {
    if (column_ == nullptr) choose_only();
    const std::uint64_t hash = hashing::xxh64(plain(key, line));
    bool is_further = false;
    for (std::size_t group = 0; group < filters_.size(); ++group) {
      if (filters_[group] && !may_hold(*filters_[group], hash)) continue;
      const std::string text = std::to_string(group);
      visit(key, {.found = true,
                  .is_number = true,
                  .is_further = std::exchange(is_further, true),
                  .text = text});
    }
    if (!is_further) visit(key, {});
  }

  file::MappedFile bytes_;
  parquet::File file_;
  const Column* column_ = nullptr;  ///< that is asked
  Filters filters_;                 ///< of it
};

}  // namespace

std::unique_ptr<OpenIndex> open_parquet(const std::filesystem::path& path,
                                        const OpenOptions& options) {
  return std::make_unique<OpenedParquet>(path, options);
}

}  // namespace crivo::foreign
