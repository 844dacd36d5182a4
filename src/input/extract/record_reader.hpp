// SPDX-License-Identifier: Apache-2.0
/// Readers of collections, each for one way in which records are written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "input/extract/fault_log.hpp"
#include "input/extract/record_bytes.hpp"
#include "input/extract/seen_terms.hpp"

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

/// Of the file at `bytes`; all that is given must outlive the reader.
std::unique_ptr<RecordReader> warc_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults);
std::unique_ptr<RecordReader> arc_reader(RecordBytes& bytes, const ExtractOptions& options,
                                         FaultLog& faults);
std::unique_ptr<RecordReader> cdx_reader(RecordBytes& bytes, FaultLog& faults);
std::unique_ptr<RecordReader> plaintext_reader(RecordBytes& bytes, const ExtractOptions& options,
                                               FaultLog& faults);
std::unique_ptr<RecordReader> trec_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults);
/// Of FASTA and FASTQ.
std::unique_ptr<RecordReader> sequence_reader(RecordBytes& bytes, const ExtractOptions& options,
                                              bool has_qualities, FaultLog& faults);
std::unique_ptr<RecordReader> line_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults);
/// `path` is that of the file, which is opened once more: it must be regular, else Error(usage).
std::unique_ptr<RecordReader> payload_reader(RecordBytes& bytes, const std::string& path,
                                             const ExtractOptions& options, FaultLog& faults);

/// What the first record of an ARC file begins with.
inline constexpr std::string_view kArcMagic = "filedesc://";

/// What a file seems to be, by its first bytes.
Collection detect_collection(RecordBytes& bytes, Extract what);

/// Names the compressed data at the window, which are not read; returns false, as their reader.
bool end_at_compressed(RecordBytes& bytes, FaultLog& faults);

/// Without white space at either end.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace crivo::extract
