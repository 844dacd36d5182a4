// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "collections/formats.hpp"
#include "collections/term_splitter.hpp"

namespace crivo::extract {
namespace {

/// The bytes of the pieces in which a longer document comes.
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Reads what PISA's parse_collection takes for "plaintext" (its parser of forward indexes): a line
/// for each document, which begins with its name and white space. All is read.
class PlaintextReader final : public RecordReader {
 public:
  PlaintextReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes), options_(options), faults_(faults) {}

  bool next(KeyTaker& keys) override {
    const std::uint64_t begin = bytes_.offset();
    std::string_view piece = bytes_.peek_line(kPiece);
    if (piece.empty()) return false;
    if (base::trimmed(piece).empty() && piece.ends_with('\n')) {
      bytes_.skip(piece.size());
      return true;
    }
    const std::size_t docno = std::min(piece.find_first_of(" \t\r\n"), piece.size());
    if (docno == piece.size() && docno != kPiece) {  // perhaps in the middle of it
      if (bytes_.damage().empty()) faults_.cut_short(begin, "the last line does not end");
      bytes_.skip(piece.size());
      return true;
    }
    if (docno == 0 || docno == kPiece) {
      faults_.bad_record(begin, "expected a line that begins with a docno");
    } else if (options_.what == Extract::docnos) {
      keys.take(piece.substr(0, docno), begin);
    } else {
      bytes_.skip(docno);
      begin_ = begin;
      terms_.emplace(options_.fold, keys);
      return go_on(keys);
    }
    bytes_.skip_line();
    return true;
  }

  bool go_on(KeyTaker& keys) override {
    if (!terms_) return false;
    while (!keys.is_full()) {
      const std::string_view piece = bytes_.peek_line(kPiece);
      terms_->add(piece, begin_);
      const bool ends = piece.empty() || piece.ends_with('\n');
      bytes_.skip(piece.size());
      if (!ends) continue;
      if (piece.empty() && !bytes_.damage().empty()) terms_->cut();
      terms_->end();
      terms_.reset();
      keys.end_document();
      break;
    }
    return true;
  }

 private:
  RecordBytes& bytes_;
  const ExtractOptions& options_;
  FaultLog& faults_;
  std::optional<TermSplitter> terms_;  ///< of the document at hand
  std::uint64_t begin_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> plaintext_reader(RecordBytes& bytes, const ExtractOptions& options,
                                               FaultLog& faults) {
  return std::make_unique<PlaintextReader>(bytes, options, faults);
}

}  // namespace crivo::extract
