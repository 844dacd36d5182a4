// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/extract/record_reader.hpp"
#include "input/first_page.hpp"

namespace crivo {
namespace {

/// A file that is being read.
class OpenCollection {
 public:
  OpenCollection(const std::string& path, const ExtractOptions& options, ExtractSummary& summary)
      : bytes_(path, options.threads),
        faults_(bytes_.name(), options.strict, summary),
        keys_(options, faults_, summary),
        reader_(reader_of(path, options)) {}

  void write_to(KeyWriter& writer) noexcept { keys_.write_to(writer); }
  bool is_full() const noexcept { return keys_.is_full(); }
  /// As the reader does.
  bool go_on() { return reader_->go_on(keys_); }
  bool next() {
    if (reader_->next(keys_)) return true;
    if (!bytes_.damage().empty()) faults_.cut_short(bytes_.offset(), bytes_.damage());
    return false;
  }

 private:
  std::unique_ptr<extract::RecordReader> reader_of(const std::string& path,
                                                   const ExtractOptions& options) {
    Collection from = options.from;
    if (from != Collection::pisa) pass_mark(options.format);
    if (from == Collection::detected) from = extract::detect_collection(bytes_, options.what);
    switch (from) {
      case Collection::warc:
        return extract::warc_reader(bytes_, options, faults_);
      case Collection::arc:
        return extract::arc_reader(bytes_, options, faults_);
      case Collection::cdx:
        return extract::cdx_reader(bytes_, faults_);
      case Collection::plaintext:
        return extract::plaintext_reader(bytes_, options, faults_);
      case Collection::trec:
        return extract::trec_reader(bytes_, options, faults_);
      case Collection::fasta:
      case Collection::fastq:
        return extract::sequence_reader(bytes_, options, from == Collection::fastq, faults_);
      case Collection::pisa:
        return extract::payload_reader(bytes_, path, options, faults_);
      case Collection::detected:
      case Collection::lines:
        break;
    }
    if (!options.format.binary_lines) {
      input::refuse_other_format(bytes_.name(), bytes_.peek(input::kFirstPageBytes),
                                 bytes_.is_compressed());
    }
    return extract::line_reader(bytes_, options, faults_);
  }

  void pass_mark(const KeyFormat& format) {
    if (format.binary_lines) return;
    const std::string_view page = bytes_.peek(input::kFirstPageBytes);
    if (page.starts_with(input::kByteOrderMark)) bytes_.skip(input::kByteOrderMark.size());
  }

  extract::RecordBytes bytes_;
  extract::FaultLog faults_;
  extract::KeyTaker keys_;
  std::unique_ptr<extract::RecordReader> reader_;
};

class CollectionSource final : public KeySource {
 public:
  CollectionSource(std::vector<std::string> paths, const ExtractOptions& options,
                   ExtractSummary& summary)
      : paths_(std::move(paths)), options_(options), summary_(summary) {}

  bool next(KeyWriter& writer) override {
    constexpr int kRecordsAtOnce = 256;
    if (open_) open_->write_to(writer);
    for (int i = 0; i != kRecordsAtOnce; ++i) {
      if (!open_) {
        if (next_path_ == paths_.size()) return false;
        open_ = std::make_unique<OpenCollection>(paths_[next_path_++], options_, summary_);
        open_->write_to(writer);
      }
      if (!open_->go_on()) {
        if (open_->next()) {
          ++summary_.records;
        } else {
          open_.reset();
        }
      }
      if (open_ && open_->is_full()) return true;
    }
    return true;
  }

 private:
  std::vector<std::string> paths_;
  ExtractOptions options_;
  ExtractSummary& summary_;
  std::size_t next_path_ = 0;
  std::unique_ptr<OpenCollection> open_;
};

/// Whether records of such a collection have what is extracted.
bool has(Collection from, Extract what) noexcept {
  switch (from) {
    case Collection::detected:
      return true;
    case Collection::lines:
      return what != Extract::kmers;
    case Collection::warc:
      return what == Extract::urls || what == Extract::terms || what == Extract::docnos;
    case Collection::arc:
      return what == Extract::urls || what == Extract::terms;
    case Collection::cdx:
      return what == Extract::urls;
    case Collection::plaintext:
    case Collection::trec:
      return what == Extract::terms || what == Extract::docnos;
    case Collection::fasta:
    case Collection::fastq:
      return what == Extract::kmers;
    case Collection::pisa:
      return what == Extract::lines || what == Extract::terms || what == Extract::docnos;
  }
  return false;
}

void check(const ExtractOptions& options) {
  const auto refuse = [](const std::string& text) { throw Error(ErrorKind::usage, text); };
  const KeyFormat::Framing framing = options.format.framing;
  if (framing != KeyFormat::Framing::lines && framing != KeyFormat::Framing::null)
    refuse("records are extracted from lines, or from what NUL ends");
  if (options.what != Extract::urls && options.surt) refuse("only URLs have a SURT");
  if (!has(options.from, options.what)) {
    refuse("no " + std::string(kExtractNames[static_cast<std::size_t>(options.what)]) +
           " are taken from " +
           std::string(kCollectionNames[static_cast<std::size_t>(options.from)]));
  }
  (void)keys::form_of(options);
}

}  // namespace

KeyInput extracted_keys(std::vector<std::string> paths, const ExtractOptions& options,
                        ExtractSummary& summary) {
  check(options);
  KeyInput input = input_of(std::make_shared<CollectionSource>(std::move(paths), options, summary));
  input.format.allow_empty = options.format.allow_empty;
  return input;
}

}  // namespace crivo
