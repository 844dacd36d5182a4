// SPDX-License-Identifier: Apache-2.0
#include "input/row_files.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << RowFiles::kRowBits;
constexpr std::uint64_t kMostFiles = std::uint64_t{1} << (64 - RowFiles::kRowBits);

/// The number that all of `text` is; nothing if that is none, or not below 2^40. (Each row has one:
/// std::from_chars, which also looks for signs and overflow, takes twice as long.)
std::optional<std::uint64_t> small_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
    if (number >= kMostRows) return std::nullopt;
  }
  return text.empty() ? std::nullopt : std::optional(number);
}

/// The texts before and behind the last TAB of a text.
struct Cut {
  std::string_view before;
  std::string_view behind;
};

std::optional<Cut> cut_at_last_tab(std::string_view text) noexcept {
  const std::size_t tab = text.rfind('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  return Cut{text.substr(0, tab), text.substr(tab + 1)};
}

}  // namespace

RowFiles::RowFiles(std::optional<std::vector<RowFile>> known, bool apart)
    : is_known_(known.has_value()),
      apart_(apart),
      files_(std::move(known).value_or(std::vector<RowFile>())) {
  clear();
}

RowFiles::Seen& RowFiles::add(std::string_view name, std::uint64_t rows) {
  const auto number = static_cast<std::uint32_t>(seen_.size());
  Seen& seen = seen_.emplace_back(std::string(name), number, rows);
  by_name_.emplace(seen.name, &seen);
  return seen;
}

void RowFiles::clear() {
  nulls_ = 0;
  by_name_.clear();
  seen_.clear();
  for (const RowFile& file : files_) add(file.name, file.rows);
}

void RowFiles::finish() {
  if (!is_known_) {
    files_.clear();
    for (const Seen& seen : seen_) files_.push_back({seen.name, seen.rows});
    std::ranges::sort(files_, {}, &RowFile::name);
  }
  first_rows_.resize(seen_.size());
  rows_ = 0;
  std::uint64_t number = 0;
  for (const RowFile& file : files_) {
    first_rows_[by_name_.at(file.name)->number] = apart_ ? number++ << kRowBits : rows_;
    rows_ += file.rows;
  }
}

base::Bytes RowFiles::noted() const {
  base::FieldWriter noted;
  noted.u64(nulls_).u64(files_.size()).u64(seen_.size());
  for (const RowFile& file : files_) {
    noted.u64(file.groups.size());
    for (const std::uint64_t group : file.groups) noted.u64(group);
  }
  for (const Seen& seen : seen_)
    noted.u64(seen.name.size()).bytes(base::as_bytes(seen.name)).u64(seen.rows);
  return noted.take();
}

void RowFiles::go_on_from(base::ByteView noted, const std::string& name) {
  base::FieldReader fields(noted, name);
  nulls_ = fields.u64();
  const std::uint64_t known = fields.u64();
  const std::uint64_t count = fields.u64();
  bool same = known == (is_known_ ? files_.size() : 0) && count >= known;
  for (std::uint64_t i = 0; i < known; ++i) {
    const std::uint64_t groups = fields.u64();
    if (groups > fields.remaining() / 8) fields.fail("has row groups that end early");
    same &= i < files_.size() && groups == files_[i].groups.size();
    for (std::uint64_t group = 0; group < groups; ++group)
      same &= fields.u64() == (same ? files_[i].groups[group] : 0);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = fields.u64();
    if (size == 0 || size > fields.remaining()) fields.fail("has a file without a name");
    const std::string_view file = base::as_text(fields.take(size));
    const std::uint64_t rows = fields.u64();
    if (i < known) {
      same &= i < files_.size() && files_[i].name == file;
      continue;
    }
    if (by_name_.contains(file) || rows > kMostRows) fields.fail("has a file twice");
    add(file, rows);
  }
  if (!same)
    throw Error(ErrorKind::usage,
                name + ": was started with other row groups; remove its directory to start again");
  fields.expect_end();
}

void RowFiles::number(std::span<std::uint64_t> places) const noexcept {
  for (std::uint64_t& place : places) place = first_rows_[place >> kRowBits] + place % kMostRows;
}

std::uint64_t RowFiles::Reader::place_of(std::string_view row, const Place& place) {
  const std::optional<Cut> cut = cut_at_last_tab(row);
  if (!cut)
    throw InputFault(place,
                     "no TAB between the file and the row; each line must be "
                     "key<TAB>file<TAB>row");
  const std::optional<std::uint64_t> number = small_number(cut->behind);
  if (!number)
    throw InputFault(place, "the row " + quote(cut->behind) + " is not a number below 2^40");
  const bool is_same = file_ != nullptr && file_->name == cut->before;
  Seen& file = is_same ? *file_ : file_of(cut->before, place);
  if (files_.is_known_ && *number >= file.rows)
    throw InputFault(place, "the row " + std::to_string(*number) + " is not in " +
                                quote(cut->before) + ", which has " + std::to_string(file.rows) +
                                " rows");
  if (&file != file_) note();
  file_ = &file;
  rows_ = std::max(rows_, *number + 1);
  return std::uint64_t{file.number} << kRowBits | *number;
}

RowFiles::Seen& RowFiles::Reader::file_of(std::string_view name, const Place& place) {
  Seen*& recent = recent_[std::hash<std::string_view>()(name) % recent_.size()];
  if (recent != nullptr && recent->name == name) return *recent;
  if (name.empty()) throw InputFault(place, "the name of the file is empty");
  const std::scoped_lock lock(files_.mutex_);
  const auto found = files_.by_name_.find(name);
  if (found != files_.by_name_.end()) return *(recent = found->second);
  if (files_.is_known_)
    throw InputFault(place, quote(name) + " is none of the files that have rows");
  if (files_.seen_.size() == kMostFiles)
    throw InputFault(place, "there are more than " + std::to_string(kMostFiles) + " files");
  return *(recent = &files_.add(name, 0));
}

void RowFiles::Reader::note() noexcept {
  if (file_ == nullptr) return;
  std::uint64_t before = file_->rows.load(std::memory_order_relaxed);
  while (before < rows_ && !file_->rows.compare_exchange_weak(before, rows_)) {
  }
  rows_ = 0;
}

std::vector<RowFile> read_row_groups(const KeyInput& input, Progress& progress) {
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>, std::less<>> found;
  read_records(input, progress, [&](const KeyBlock& block) {
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::bad_input, why, {.line = i + 1});
      };
      const std::optional<Cut> cut = cut_at_last_tab(block.records[i]);
      const auto group = cut ? small_number(cut->before) : std::nullopt;
      const auto rows = cut ? small_number(cut->behind) : std::nullopt;
      if (!group || !rows)
        refuse("each line must be file<TAB>row group<TAB>its rows, two numbers below 2^40");
      const auto [known, is_new] = found[std::string(block.keys[i])].emplace(*group, *rows);
      if (!is_new && known->second != *rows)
        refuse("row group " + std::to_string(*group) + " has " + std::to_string(*rows) +
               " rows here, and had " + std::to_string(known->second) + " before");
    }
  });
  std::vector<RowFile> files;
  for (const auto& [name, groups] : found) {
    RowFile& file = files.emplace_back(name);
    for (const auto& [group, rows] : groups) {
      if (group != file.groups.size())
        throw Error(ErrorKind::bad_input, input_name(input, 0) + ": " + quote(name) +
                                              " has no row group " +
                                              std::to_string(file.groups.size()));
      file.groups.push_back(rows);
      file.rows += rows;
    }
    if (file.rows >= kMostRows)
      throw Error(ErrorKind::bad_input,
                  input_name(input, 0) + ": " + quote(name) + " has 2^40 rows or more");
  }
  return files;
}

}  // namespace crivo::input
