// SPDX-License-Identifier: Apache-2.0
#include "foreign/parquet_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "crivo/error.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::foreign::parquet {
namespace {

constexpr std::string_view kEncrypted = "PARE";
constexpr unsigned kMostDepth = 64;
constexpr std::size_t kMostPathBytes = 4096;
constexpr std::size_t kMostSchemaBytes = std::size_t{1} << 26;
/// As readers of Parquet's have it, and more than a writer makes of a row group.
constexpr std::uint64_t kMostFilterBytes = std::uint64_t{1} << 30;
/// What a header takes, and some more.
constexpr std::size_t kMostFilterHeaderBytes = 256;

/// Fields of a filter's header: how it is laid out, hashed and compressed.
constexpr std::array<std::int16_t, 3> kChoices{2, 3, 4};

enum Repetition : std::uint8_t { required = 0, repeated = 2 };

/// A union that has its one member of no content: the choice that there is.
bool is_choice(base::ByteView choice, const std::string& name) {
  const thrift::Structure one(choice, name);
  return one.structure(1).has_value();
}

/// Whether equal values of a leaf have equal bytes.
bool has_one_form(const thrift::Structure& leaf, Physical type, const std::string& name) {
  constexpr std::int16_t kConverted = 6;
  constexpr std::int16_t kLogical = 10;
  constexpr std::int64_t kConvertedDecimal = 5;
  constexpr std::int16_t kDecimal = 5;
  constexpr std::int16_t kFloat16 = 15;
  const auto logical = leaf.structure(kLogical);
  const auto is_logical = [&](std::int16_t which) {
    return logical && thrift::Structure(*logical, name).find(which) != nullptr;
  };
  switch (type) {
    case Physical::int32:
    case Physical::int64:
      return true;
    case Physical::byte_array:
      return leaf.integer(kConverted) != kConvertedDecimal && !is_logical(kDecimal);
    case Physical::fixed:
      return !is_logical(kFloat16);
    default:
      return false;
  }
}

/// A structure that has one of no fields as its first.
base::Bytes first_choice() {
  return {std::byte{1 << 4 | static_cast<int>(thrift::Type::structure)}, std::byte{0},
          std::byte{0}};
}

}  // namespace

std::string_view name_of(Physical type) noexcept {
  constexpr std::array<std::string_view, 8> kNames{
      "BOOLEAN", "INT32",  "INT64",      "INT96",
      "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
  return kNames[static_cast<std::size_t>(type)];
}

void File::fail(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, name_ + ": " + problem, {.file = name_});
}
void File::refuse(const std::string& problem) const {
  throw Error(ErrorKind::usage, name_ + ": " + problem, {.file = name_});
}

File::File(base::ByteView bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  if (bytes.size() < kMagic.size() + kEndBytes || !may_be(bytes))
    fail("does not begin as a Parquet file");
  const base::ByteView end = bytes.last(kEndBytes);
  const std::string_view magic = base::as_text(end.subspan(4));
  if (magic == kEncrypted) refuse("the footer is encrypted, which is not read");
  if (magic != kMagic) fail("does not end as a Parquet file");
  const std::uint64_t length = base::load_le<std::uint32_t>(end.data());
  if (length > bytes.size() - kMagic.size() - kEndBytes) fail("the footer is longer than the file");
  body_bytes_ = bytes.size() - kEndBytes - length;
  footer_.emplace(bytes.subspan(body_bytes_, length), name_);
  row_groups_ = footer_->list(kRowGroups, thrift::Type::structure);
  read_columns();
}

struct File::Walk {
  std::vector<base::ByteView> elements;
  std::size_t next = 0;
  std::size_t path_bytes = 0;  ///< of the columns so far
};

void File::read_columns() {
  constexpr std::int16_t kSchema = 2;
  Walk walk{footer_->list(kSchema, thrift::Type::structure)};
  if (walk.elements.empty()) fail("the schema is empty");
  read_element(walk, {}, 0);
  if (walk.next != walk.elements.size()) fail("the schema has elements outside of its tree");
}

void File::read_element(Walk& walk, const Column& above, unsigned depth) {
  constexpr std::int16_t kType = 1;
  constexpr std::int16_t kWidth = 2;
  constexpr std::int16_t kRepetition = 3;
  constexpr std::int16_t kName = 4;
  constexpr std::int16_t kChildren = 5;
  if (depth > kMostDepth) fail("the schema is nested too deeply");
  if (walk.next == walk.elements.size()) fail("the schema ends in the middle of its tree");
  const thrift::Structure element(walk.elements[walk.next++], name_);
  Column column = above;
  if (depth != 0) {
    const auto name = element.text(kName);
    if (!name || name->size() + column.path.size() >= kMostPathBytes)
      fail("a column has no name, or one of over 4,096 bytes");
    column.path += (column.path.empty() ? "" : ".") + std::string(base::as_text(*name));
    const std::int64_t repetition = element.integer(kRepetition).value_or(required);
    column.has_levels_of_repeats |= repetition == repeated;
    column.has_levels_of_nulls |= repetition != required;
  }
  const std::int64_t children = element.integer(kChildren).value_or(0);
  if (children < 0) fail("the schema has an impossible number of columns");
  for (std::int64_t i = 0; i < children; ++i) read_element(walk, column, depth + 1);
  if (children != 0 || depth == 0) return;
  column.type = static_cast<Physical>(element.count(kType, "the type of a column", 7));
  switch (column.type) {
    case Physical::int32:
      column.width = 4;
      break;
    case Physical::int64:
      column.width = 8;
      break;
    case Physical::fixed:
      column.width = element.count(kWidth, "the width of a column", INT32_MAX);
      if (column.width == 0) fail("a column has values of no bytes");
      break;
    default:
      break;
  }
  column.has_one_form = has_one_form(element, column.type, name_);
  walk.path_bytes += column.path.size();
  if (walk.path_bytes > kMostSchemaBytes) fail("the names of the columns are too long");
  columns_.push_back(std::move(column));
}

std::size_t File::column(std::string_view path) const {
  const auto found = std::ranges::find(columns_, path, &Column::path);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  constexpr std::size_t kNamed = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, columns_.size()); ++i)
    names += (names.empty() ? "" : ", ") + columns_[i].path;
  refuse("has no column '" + std::string(path) + "'; it has: " + names +
         (columns_.size() > kNamed ? ", ..." : ""));
}

std::vector<base::ByteView> File::chunks_of(std::size_t row_group) const {
  const thrift::Structure group(row_groups_[row_group], name_);
  auto chunks = group.list(kColumns, thrift::Type::structure);
  if (chunks.size() != columns_.size())
    fail("row group " + std::to_string(row_group) + " has other columns than the schema");
  return chunks;
}

std::vector<std::size_t> File::filtered_columns() const {
  std::vector<bool> filtered(columns_.size());
  for (std::size_t group = 0; group < row_groups_.size(); ++group) {
    const auto chunks = chunks_of(group);
    for (std::size_t column = 0; column < chunks.size(); ++column) {
      const auto meta_data = thrift::Structure(chunks[column], name_).structure(kMetaData);
      if (meta_data && thrift::Structure(*meta_data, name_).find(kFilterOffset) != nullptr)
        filtered[column] = true;
    }
  }
  std::vector<std::size_t> places;
  for (std::size_t column = 0; column < filtered.size(); ++column)
    if (filtered[column]) places.push_back(column);
  return places;
}

Chunk File::chunk(std::size_t row_group, std::size_t column) const {
  constexpr std::int16_t kPath = 1;
  constexpr std::int16_t kCrypto = 8;
  constexpr std::int16_t kCodec = 4;
  constexpr std::int16_t kValues = 5;
  constexpr std::int16_t kBytes = 7;
  constexpr std::int16_t kDataOffset = 9;
  constexpr std::int16_t kDictionaryOffset = 11;
  const thrift::Structure whole(chunks_of(row_group)[column], name_);
  if (whole.find(kPath) != nullptr) refuse("the values of a column are in another file");
  const auto meta_data = whole.structure(kMetaData);
  if (whole.find(kCrypto) != nullptr || !meta_data)
    refuse("column '" + columns_[column].path + "' is encrypted, which is not read");
  const thrift::Structure fields(*meta_data, name_);
  Chunk chunk;
  if (fields.count(1, "the type of a column", 7) !=
      static_cast<std::uint64_t>(columns_[column].type))
    fail("row group " + std::to_string(row_group) + " has other types than the schema");
  chunk.codec = fields.count(kCodec, "the codec of a column");
  chunk.values = fields.count(kValues, "the number of values");
  chunk.bytes = fields.count(kBytes, "the length of a column");
  chunk.begin = fields.count(kDataOffset, "the place of a column");
  // Old writers name a dictionary at 0 where there is none.
  const std::int64_t dictionary = fields.integer(kDictionaryOffset).value_or(0);
  if (dictionary > 0) chunk.begin = std::min(chunk.begin, static_cast<std::uint64_t>(dictionary));
  if (chunk.begin > body_bytes_ || chunk.bytes > body_bytes_ - chunk.begin)
    fail("the pages of a column are not within the file");
  if (fields.find(kFilterOffset) != nullptr)
    chunk.filter = fields.count(kFilterOffset, "the place of a filter", body_bytes_);
  return chunk;
}

base::ByteView File::filter(const Chunk& chunk) const {
  const base::ByteView rest = bytes_.subspan(*chunk.filter, body_bytes_ - *chunk.filter);
  thrift::Reader reader(rest.first(std::min(rest.size(), kMostFilterHeaderBytes)), name_);
  const std::size_t before = reader.left();
  const thrift::Structure header(reader, name_);
  const std::uint64_t bytes = header.count(1, "the number of bytes of a filter", kMostFilterBytes);
  for (const std::int16_t choice : kChoices) {
    const auto chosen = header.structure(choice);
    if (!chosen || !is_choice(*chosen, name_))
      refuse("a filter is none of split blocks by XXH64, uncompressed");
  }
  const std::size_t header_bytes = before - reader.left();
  if (bytes == 0 || bytes % filter::split_block::kBlockBytes != 0 ||
      bytes > rest.size() - header_bytes)
    fail("a filter is not of whole blocks within the file");
  return rest.subspan(header_bytes, bytes);
}

base::Bytes filter_header(std::uint64_t bytes) {
  const std::string no_name;
  const base::Bytes none{std::byte{0}};
  const base::Bytes count = thrift::encode_integer(static_cast<std::int64_t>(bytes));
  const base::Bytes choice = first_choice();
  thrift::Structure header(none, no_name);
  header.set(1, thrift::Type::i32, count);
  for (const std::int16_t field : kChoices) header.set(field, thrift::Type::structure, choice);
  return header.encode();
}

}  // namespace crivo::foreign::parquet
