// SPDX-License-Identifier: Apache-2.0
/// Readers of the records of a collection, and takers of keys out of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collections/record_bytes.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

namespace crivo::extract {

/// A hash table of 2^i slots, with linear probing. Slots say which document they are of, so that
/// the next one finds them free without a walk over all.
class SeenTerms {
 public:
  static constexpr std::size_t kMostTerms = std::size_t{1} << 18;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  enum class Add {
    added,  ///< the document has not had the term before
    known,
    full,  ///< nor is there room for it
  };

  /// Amortized O(1) and the term's bytes.
  Add add(std::string_view term);
  /// The next term is another document's.
  void end_document();

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  ///< of the term, in the texts
    std::uint32_t size = 0;
    std::uint32_t document = 0;  ///< 0: none
  };

  void grow();
  /// The slot of a term of the document at hand, or the free one that it takes.
  Slot& find(std::uint64_t hash, std::string_view term);

  std::vector<Slot> slots_;
  std::vector<char> texts_;
  std::size_t terms_ = 0;
  std::uint32_t document_ = 1;
};

/// Counts what is wrong with one file and names it, or, where it is strict, throws it.
class FaultLog {
 public:
  FaultLog(std::string file, bool strict, ExtractSummary& summary)
      : file_(std::move(file)), strict_(strict), summary_(summary) {}

  /// A record that is not what its format asks for, at `offset` of the decompressed file. Throws
  /// Error(bad_input) where it is strict. `remedy` is as that of an Error.
  void bad_record(std::uint64_t offset, const std::string& problem,
                  const std::string& remedy = {}) {
    ++summary_.bad_records;
    note(text_of(offset, problem), remedy);
  }
  /// The file ends, or is damaged, at `offset`. Likewise.
  void cut_short(std::uint64_t offset, const std::string& problem) {
    ++summary_.cut_files;
    note(text_of(offset, problem), {});
  }

 private:
  std::string text_of(std::uint64_t offset, const std::string& problem) const {
    return file_ + ": byte " + std::to_string(offset) + ": " + problem;
  }
  void note(const std::string& text, const std::string& remedy) {
    constexpr std::size_t kMostNamed = 100;
    if (strict_) throw Error(ErrorKind::bad_input, text, {.remedy = remedy});
    if (summary_.warnings.size() < kMostNamed)
      summary_.warnings.push_back({.text = text, .remedy = remedy});
  }

  std::string file_;
  bool strict_;
  ExtractSummary& summary_;
};

/// Takes the keys of a file.
class KeyTaker {
 public:
  /// `path` is the file's.
  KeyTaker(const std::string& path, const ExtractOptions& options, FaultLog& faults,
           ExtractSummary& summary)
      : group_(options.group_by_file ? path : std::string()),
        options_(options),
        faults_(faults),
        summary_(summary) {}

  /// From here on keys go to `writer`.
  void write_to(KeyWriter& writer) noexcept {
    writer_ = &writer;
    handed_over_ = 0;
  }
  /// Whether so many bytes of keys were handed over since then that a reader stops, and goes on
  /// with the rest of its record when it is asked again.
  bool is_full() const noexcept { return handed_over_ >= kEnoughBytes; }
  /// A key as it stands in the file; `offset` is its record's. One that is empty, unless that is
  /// allowed, or too long, is a bad record.
  void take(std::string_view key, std::uint64_t offset);
  /// A URL: without the <> and the white space around it, with each space in it as %20, and as
  /// options ask for. One with control characters is a bad record.
  void take_url(std::string_view url, std::uint64_t offset);
  /// A URL that is to begin with a scheme and a colon (RFC 3986, 3.1), as it stands in archives;
  /// else a bad record.
  void take_uri(std::string_view uri, std::uint64_t offset);
  /// A line that is to be one: a scheme, "://" and more, or what archives have beside (dns:, urn:,
  /// mailto:, metadata:), without white space or control characters but around it; else a bad
  /// record.
  void take_url_line(std::string_view line, std::uint64_t offset);
  /// A key whose bytes are left out, as they are too many.
  void refuse_long(std::uint64_t offset);
  /// A term of the text at hand.
  void take_term(std::string_view term, std::uint64_t offset);
  /// The next term is another document's.
  void end_document() {
    seen_.end_document();
    is_too_long_ = false;
  }

 private:
  static constexpr std::size_t kEnoughBytes = std::size_t{1} << 20;

  std::string group_;  ///< of all keys; empty: they have none
  const ExtractOptions& options_;
  FaultLog& faults_;
  ExtractSummary& summary_;
  KeyWriter* writer_ = nullptr;
  std::size_t handed_over_ = 0;  ///< bytes since write_to(), with 4 a key
  /// Terms of the document at hand, where each is taken once.
  SeenTerms seen_;
  bool is_too_long_ = false;  ///< the document at hand, for which that is no longer known
  /// Short terms that were taken last, by a hash of theirs, where repeats may be left out.
  std::vector<std::string> last_;
};

/// Reads the records of one file, which are written in one format (formats.hpp).
class RecordReader {
 public:
  RecordReader() = default;
  virtual ~RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  /// Hands over the keys of the next record, or some of them until `keys` is full: false at the end
  /// of the file. Throws Error(io), and what FaultLog does.
  virtual bool next(KeyTaker& keys) = 0;
  /// Goes on with that record, where not all was handed over: false if all was.
  virtual bool go_on(KeyTaker& keys) {
    (void)keys;
    return false;
  }
};

/// Names the compressed data at the window, which are not read; returns false, as their reader.
bool end_at_compressed(RecordBytes& bytes, FaultLog& faults);

}  // namespace crivo::extract
