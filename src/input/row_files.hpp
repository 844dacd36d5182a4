// SPDX-License-Identifier: Apache-2.0
/// The files that rows are in, as an input names them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/progress.hpp"
#include "input/chunk.hpp"
#include "input/noted_names.hpp"

namespace crivo::input {

/// A file, with how many rows it has.
struct RowFile {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> groups{};  ///< the rows of each row group; empty: they are not known
};

/// Reads files with their row groups: lines file TAB group TAB rows in any order, and the same line
/// any number of times (DuckDB's parquet_metadata() has one for each column). Returns them in the
/// order of their names. Throws Error(bad_input) by file and line, Error(io).
std::vector<RowFile> read_row_groups(const KeyInput& input, Progress& progress);

/// Gives the rows of an input numbers: those of all files, in the order of the files' names, one
/// after the other. Which that is, is known when all are read; till then a row has a place.
class RowFiles final : public NotedNames {
 public:
  /// A place is the number of a file above that of a row in it.
  static constexpr unsigned kRowBits = 40;

  /// Rows are of no other files than `known`, and of no others than these have. Without: a file has
  /// the rows up to the last that comes. `known` are in the order of their names. With `apart` the
  /// number of a row is a place of the files in that order, as others have files too.
  explicit RowFiles(std::optional<std::vector<RowFile>> known = {}, bool apart = false);

  /// Forgets what was read, but not what was known.
  void clear();
  /// Ends the reading: from here on numbers are known.
  void finish();

  /// Files have the same numbers for whoever takes them over. Error(usage): other row groups were
  /// known.
  base::Bytes noted() const override;
  void go_on_from(base::ByteView noted, const std::string& name) override;

  /// Puts its number in the place of each place.
  void number(std::span<std::uint64_t> places) const noexcept;
  /// The files, in order, and how many rows they have.
  const std::vector<RowFile>& files() const noexcept { return files_; }
  std::uint64_t rows() const noexcept { return rows_; }
  /// Counts rows whose keys are NULL. From any thread.
  void add_nulls(std::uint64_t rows) noexcept { nulls_.fetch_add(rows, std::memory_order_relaxed); }
  std::uint64_t nulls() const noexcept { return nulls_; }
  bool has_groups() const noexcept { return is_known_; }

  struct Seen;

  /// The places of the rows of one chunk, for one thread.
  class Reader {
   public:
    explicit Reader(RowFiles& files) noexcept : files_(files) {}
    ~Reader() { note(); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// The place of a row: file TAB number. Throws InputFault: it is none, or of a file or number
    /// that is not known.
    std::uint64_t place_of(std::string_view row, const Place& place);

   private:
    Seen& file_of(std::string_view name, const Place& place);
    /// Tells how many rows the last file has.
    void note() noexcept;

    RowFiles& files_;
    std::array<Seen*, 256> recent_{};  ///< files that came lately, by their names
    Seen* file_ = nullptr;             ///< the last
    std::uint64_t rows_ = 0;           ///< of the last, so far
  };

 private:
  Seen& add(std::string_view name, std::uint64_t rows);

  bool is_known_;
  bool apart_;
  std::vector<RowFile> files_;
  std::uint64_t rows_ = 0;
  std::atomic<std::uint64_t> nulls_ = 0;
  std::mutex mutex_;
  std::deque<Seen> seen_;  ///< in the order in which they came; each stays where it is
  std::unordered_map<std::string_view, Seen*> by_name_;
  std::vector<std::uint64_t> first_rows_;  ///< of those seen
};

/// A file that came.
struct RowFiles::Seen {
  std::string name;
  std::uint32_t number = 0;  ///< of those seen
  std::atomic<std::uint64_t> rows = 0;
};

}  // namespace crivo::input
