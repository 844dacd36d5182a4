// SPDX-License-Identifier: Apache-2.0
/// Keys that a build reads: of files, of memory, or of a source that a program writes.
///
///     const std::vector<std::string> urls = ...;
///     crivo::build_mphf(crivo::keys_in(urls), "urls.crv");
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/detail/key_bytes.hpp"
#include "crivo/key.hpp"
#include "crivo/progress.hpp"

namespace crivo {

class KeySource;

/// The longest line that holds a key among other things, in bytes: a key, a delimiter and a record.
inline constexpr std::uint64_t kMaxLineBytes = kMaxKeyBytes + 1 + kMaxRecordBytes;

/// How a stream of bytes is cut into keys. Keys are bytes, any bytes but the delimiter.
struct KeyFormat {
  enum class Framing {
    lines,    ///< each ends with LF; the last may lack it
    null,     ///< each ends with NUL; the last may lack it
    fixed,    ///< each has `width` bytes, with nothing between them
    counted,  ///< each has its length beside it: what a KeySource hands over, and no file
  };
  Framing framing = Framing::lines;
  /// Counted only: the values of a map are the texts of numbers, not their bytes.
  bool text_values = false;
  /// Counted: keys are 8 bytes each of a number, the lowest first. Of rows, whose build sets it
  /// (RowsOptions::fixed): keys are 64-bit numbers in decimal digits, and become such bytes.
  bool numbers = false;
  std::uint32_t width = 0;  ///< bytes per key when fixed, 1 to kMaxKeyBytes
  bool strip_cr = false;    ///< lines only: a CR before the LF is not part of the key
  /// Lines only: a file whose first bytes are those of another format (an archive, a column file,
  /// text in UTF-16) is lines all the same, and a byte order mark of UTF-8 is part of the first. As
  /// it stands the first is refused by name, and the mark left out.
  bool binary_lines = false;
  bool allow_empty = false;  ///< an empty key is a key; otherwise it is an error
  /// Lines only: the key is this column, from 1. 0: the whole line, or of pairs the first column.
  std::uint32_t key_column = 0;
  /// The column of the value or record of pairs, from 1. 0: all after the key's column, or with
  /// `quotes` the next column.
  std::uint32_t value_column = 0;
  /// A column, from 1, that is put behind the value or record, with a TAB between: of rows that of
  /// the row's number, where value_column is that of the file. 0: none is.
  std::uint32_t row_column = 0;
  char column_delimiter = '\t';  ///< between the columns of a line
  /// A column may stand in double quotes, which it may hold doubled, as in CSV. It may hold line
  /// ends, too: then a unit has several lines, and one thread finds where the units of a file end.
  bool quotes = false;
  bool skip_header = false;  ///< lines only: the first line of each file is left out, uncounted
  /// With skip_header, in the place of the columns' numbers: the name that the key's, or the
  /// value's, has in the header of each file.
  std::string key_name{};
  std::string value_name{};
  std::string row_name{};
  /// Lines only, each of which is a JSON object: the key is what the member of this name holds, a
  /// string or the text of a number. Empty: lines are no JSON.
  std::string json_key{};
  /// The member that is the value or record, of pairs of such lines: a string, or the text of
  /// anything else. Empty: the record is the whole object.
  std::string json_value{};
  /// The member that is put behind the value or record likewise. Empty: none is.
  std::string json_row{};
  /// With a key_column, key_name or json_key: columns, by number or with skip_header by name, or
  /// members, that come before it in the key. The key is all of their texts, with TABs between; in
  /// each a backslash stands as two of them, a TAB as a backslash and "t", an LF as one and "n".
  std::vector<std::string> leading_keys{};
  /// Of rows alone, whose build sets it (RowsOptions::null_text): a key of lines that is this text,
  /// not in quotes, is NULL, and so is null of JSON. What has such a key is left out.
  std::optional<std::string> null_text{};
  /// A key is written in hexadecimal digits of either case, two a byte. Not when fixed.
  bool hex = false;
  /// A longer key is an error. Not more than kMaxKeyBytes.
  std::uint64_t max_key_bytes = kMaxKeyBytes;
  /// Lines and `null` only: so is a longer line, or a longer pair, which holds its key among other
  /// things. Not more than kMaxLineBytes.
  std::uint64_t max_line_bytes = kMaxLineBytes;

  friend bool operator==(const KeyFormat&, const KeyFormat&) = default;
};

/// Key files, at least one, read in order as one sequence. "-" is standard input. gzip, zstd, xz
/// and bzip2 are seen by their first bytes, whatever a file is called, and decompressed once; other
/// compressed files and archives are refused by name. Keys that begin with such bytes by chance are
/// read if the file is compressed.
///
/// Or, in the place of files, keys that a program has in memory or makes: KeySource. Or what a
/// command writes, for MPHFs, filters and maps: BuildOptions::passes says why.
struct KeyInput {
  std::vector<std::string> paths;
  KeyFormat format;
  std::shared_ptr<KeySource> source{};  ///< then there are no paths, and keys are `counted`
  /// Run by `sh -c` for each reading; then there are no paths. It must write the same keys each
  /// time, in any order. A status other than 0 is Error(bad_input).
  std::string command{};
  /// The keys that an exact set, whose members these are, is to answer for. They are read twice, or
  /// kept by their hashes where they can be read only once. For other kinds it is Error(usage).
  std::shared_ptr<const KeyInput> universe{};
  /// Of filter sets alone: names of groups, which the set has even if they have no key. Of files
  /// there is one for each: units are keys then, each in the group of its file. Those that a source
  /// hands over are pairs of a key and its group all the same. For other kinds they are
  /// Error(usage).
  std::vector<std::string> groups{};
};

/// Takes the keys that are handed over: each with nothing, with a value or with a record, as the
/// build wants it, and all in the same way. The bytes are copied. A number is the key of its 8
/// bytes, the lowest first.
class CRIVO_API KeyWriter {
 public:
  /// Appends to `bytes`.
  explicit KeyWriter(std::vector<char>& bytes) noexcept : bytes_(bytes) {}

  void key(std::string_view key) {
    append(key, kMaxKeyBytes);
    ++units_;
  }
  void value(std::string_view key, std::uint64_t value);
  void record(std::string_view key, std::string_view record);

  /// Returns how many keys were handed over, and how many texts in all.
  std::uint64_t units() const noexcept { return units_; }
  std::uint64_t texts() const noexcept { return texts_; }

 private:
  void append(std::string_view text, std::uint64_t most);

  std::vector<char>& bytes_;
  std::uint64_t units_ = 0;
  std::uint64_t texts_ = 0;
};

/// Hands over a sequence of keys that is no file. One that has a size() is read by all threads, and
/// again where that is wanted; one that has none is read once, as a pipe is.
class CRIVO_API KeySource {
 public:
  KeySource() = default;
  virtual ~KeySource();
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;

  /// Returns what messages call the source; "keys" within angle brackets unless it says otherwise.
  virtual std::string name() const;

  /// Returns the number of keys, of a source whose keys can be had in any order.
  virtual std::optional<std::uint64_t> size() const;
  /// Estimates for such a source the bytes that the keys [begin, end) have, with all that is beside
  /// them. From any thread.
  virtual std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const;
  /// Hands over the keys [begin, end) of such a source. From any thread.
  virtual void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const;

  /// Hands over, of any other, some of the next keys, at most 2^24; false when those were the last.
  /// Not called again after that, and not by two threads at once.
  virtual bool next(KeyWriter& writer);
};

/// `source` as an input.
CRIVO_API KeyInput input_of(std::shared_ptr<KeySource> source);

/// Returns the keys that `next` hands over: it is called again and again, for some keys at a time,
/// until it returns false; not by two threads at once. What it throws goes through the build.
CRIVO_API KeyInput keys_from(std::function<bool(KeyWriter&)> next);

/// Holds of a key: a text, bytes, or a number of 64 bits.
template <typename T>
concept KeyLike = std::convertible_to<const T&, std::string_view> ||
    std::convertible_to<const T&, std::span<const std::byte>> || KeyNumber<T>;
/// A range of keys.
template <typename T>
concept KeyRange = std::ranges::forward_range<T> &&
    KeyLike<std::remove_cvref_t<std::ranges::range_reference_t<T>>>;

namespace detail {

/// `Extras` has write(i, key, writer) and bytes(i), for what belongs to each key.
template <typename Keys, typename Extras>
class RangeSource final : public KeySource {
 public:
  RangeSource(const Keys& keys, Extras extras) : keys_(keys), extras_(std::move(extras)) {}

  std::optional<std::uint64_t> size() const override {
    return static_cast<std::uint64_t>(std::ranges::size(keys_));
  }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    std::uint64_t sum = 0;
    for (; begin < end; ++begin) {
      sum += 4 + KeyBytes(at(begin)).view().size() + extras_.bytes(begin);
    }
    return sum;
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    for (; begin < end; ++begin) extras_.write(begin, KeyBytes(at(begin)).view(), writer);
  }

 private:
  decltype(auto) at(std::uint64_t i) const {
    return std::ranges::begin(keys_)[static_cast<std::ranges::range_difference_t<const Keys>>(i)];
  }

  const Keys& keys_;
  Extras extras_;
};

struct NoExtras {
  std::uint64_t bytes(std::uint64_t) const noexcept { return 0; }
  void write(std::uint64_t, std::string_view key, KeyWriter& writer) const { writer.key(key); }
};
struct ExtraValues {
  std::uint64_t bytes(std::uint64_t) const noexcept { return 4 + sizeof(std::uint64_t); }
  void write(std::uint64_t i, std::string_view key, KeyWriter& writer) const {
    writer.value(key, values[i]);
  }
  std::span<const std::uint64_t> values;
};
template <typename Records>
struct ExtraRecords {
  std::uint64_t bytes(std::uint64_t i) const noexcept { return 4 + at(i).view().size(); }
  void write(std::uint64_t i, std::string_view key, KeyWriter& writer) const {
    writer.record(key, at(i).view());
  }
  KeyBytes at(std::uint64_t i) const {
    return KeyBytes(std::ranges::begin(
        records)[static_cast<std::ranges::range_difference_t<const Records>>(i)]);
  }
  const Records& records;
};

/// Throws Error(usage) unless both are alike.
CRIVO_API void check_same_size(std::uint64_t keys, std::uint64_t others);

}  // namespace detail

/// Returns the keys of a range, in order. It must outlive the input, so a temporary does not
/// compile. Of one that is not of random access (a list, a set) the keys are read once, as from a
/// pipe.
template <KeyRange Keys>
KeyInput keys_in(const Keys& keys) {
  KeyInput input;
  if constexpr (std::ranges::random_access_range<const Keys> &&
                std::ranges::sized_range<const Keys>) {
    input = input_of(
        std::make_shared<detail::RangeSource<Keys, detail::NoExtras>>(keys, detail::NoExtras{}));
  } else {
    input = keys_from(
        [at = std::ranges::begin(keys), end = std::ranges::end(keys)](KeyWriter& writer) mutable {
          for (int i = 0; i < 256 && at != end; ++i, ++at) writer.key(detail::KeyBytes(*at).view());
          return at != end;
        });
  }
  input.format.numbers = KeyNumber<std::remove_cvref_t<std::ranges::range_reference_t<const Keys>>>;
  return input;
}
template <KeyRange Keys>
KeyInput keys_in(const Keys&& keys) = delete;
/// Does the same with a value for each key: of a build_map() with MapOptions::values.
template <KeyRange Keys>
requires std::ranges::random_access_range<const Keys> KeyInput
values_in(const Keys& keys, std::span<const std::uint64_t> values) {
  detail::check_same_size(std::ranges::size(keys), values.size());
  return input_of(std::make_shared<detail::RangeSource<Keys, detail::ExtraValues>>(
      keys, detail::ExtraValues{values}));
}
template <KeyRange Keys>
KeyInput values_in(const Keys&& keys, std::span<const std::uint64_t> values) = delete;
template <KeyRange Keys>
KeyInput values_in(const Keys& keys, const std::vector<std::uint64_t>&& values) = delete;
/// Does the same with a record for each key, of a build_store().
template <KeyRange Keys, KeyRange Records>
requires(std::ranges::random_access_range<const Keys>&&
             std::ranges::random_access_range<const Records>) KeyInput
    records_in(const Keys& keys, const Records& records) {
  detail::check_same_size(std::ranges::size(keys), std::ranges::size(records));
  return input_of(std::make_shared<detail::RangeSource<Keys, detail::ExtraRecords<Records>>>(
      keys, detail::ExtraRecords<Records>{records}));
}
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys&& keys, const Records& records) = delete;
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys& keys, const Records&& records) = delete;
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys&& keys, const Records&& records) = delete;

/// Some keys in the order of the input, valid until the call that is given them returns.
struct KeyBlock {
  std::vector<std::string_view> keys;
  /// records[i] is that of keys[i], and stands one delimiter behind it in memory; empty where keys
  /// alone are read.
  std::vector<std::string_view> records;
};
using VisitKeys = std::function<void(const KeyBlock& block)>;

/// Calls `visit` for block after block of the input's keys, on this thread; what a pipe has
/// delivered is not held back. Counts the bytes read in `progress`. What stands before a fault of
/// the input is visited before it is thrown, as Error(bad_input) with file and line; Error(io)
/// where reading fails. An Error(bad_input) of `visit` whose place is a line of no file is of that
/// key of the block, as OpenIndex throws it, and gets the file and the line. O(1) memory but for
/// the longest key.
CRIVO_API void read_keys(const KeyInput& input, Progress& progress, const VisitKeys& visit);

/// Does the same with keys and their records: key TAB record lines, or key NUL record NUL. Throws
/// Error(usage) for keys of fixed width.
CRIVO_API void read_records(const KeyInput& input, Progress& progress, const VisitKeys& visit);

/// Returns the size of all files together, if all are regular ones; nothing where one is a pipe or
/// the like. Throws Error(io) if one cannot be looked at.
CRIVO_API std::optional<std::uint64_t> input_bytes(const std::vector<std::string>& paths);

/// Says what is taken of each entry beside its key.
enum class LmdbTake {
  keys,           ///< nothing
  records,        ///< its value, as the record of a store
  text_values,    ///< its value, the text of a number, as that of a map
  binary_values,  ///< its value, a number of 1 to 8 bytes with the lowest first, as that of a map
};

struct LmdbInput {
  std::string database{};  ///< the name of one, or the environment's unnamed one
  LmdbTake take = LmdbTake::keys;
};

/// Returns the entries of `environment`, a directory or, as made with MDB_NOSUBDIR, a file, of LMDB
/// 0.9. Other processes may write to it meanwhile: what is read is what the last transaction had
/// left when this was called, which takes one of its reader slots until the input is gone. This
/// process must not have it open itself, as LMDB does not allow that. Each page is checked before
/// it is believed. A key that has several values there is one key where keys are taken, and refused
/// elsewhere.
///
/// Cost here: a read of all pages but those of large values; 24 bytes of memory a leaf page.
/// Throws Error(usage) for no database of that name, or where only named ones hold entries,
/// Error(bad_input) for what is damaged or no environment, Error(io).
CRIVO_API KeyInput lmdb_entries(const std::filesystem::path& environment,
                                const LmdbInput& input = {});

}  // namespace crivo
