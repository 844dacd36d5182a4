// SPDX-License-Identifier: Apache-2.0
/// What reads the records of a collection, and what takes the keys out of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collections/fault_log.hpp"
#include "collections/record_bytes.hpp"
#include "collections/seen_terms.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::extract {

/// What the keys of a file are handed over to.
class KeyTaker {
 public:
  KeyTaker(const ExtractOptions& options, FaultLog& faults, ExtractSummary& summary)
      : options_(options), faults_(faults), summary_(summary) {}

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
  /// options ask for.
  void take_url(std::string_view url, std::uint64_t offset);
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
