// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>

#include "base/named_rows.hpp"
#include "base/text.hpp"
#include "collections/formats.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/first_page.hpp"

namespace crivo {
namespace {

constexpr auto kInfos = [] {
  std::array<CollectionInfo, extract::kFormats.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = extract::kFormats[i].info;
  return infos;
}();
static_assert([] {
  for (std::size_t i = 0; i < kInfos.size(); ++i)
    if (kInfos[i].collection != Collection(i)) return false;
  return true;
}());

/// Throws Error(usage) for what is no enumerator.
const extract::Format& format_of(Collection collection) {
  const auto number = static_cast<std::size_t>(collection);
  if (number >= extract::kFormats.size()) throw Error(ErrorKind::usage, "no such collection");
  return extract::kFormats[number];
}

/// Whether the records of a format have what is extracted.
bool has(const extract::Format& format, Extract what) noexcept {
  return std::ranges::find(format.info.keys, what) != format.info.keys.end();
}

/// A file that is being read.
class OpenCollection {
 public:
  OpenCollection(const std::string& path, const ExtractOptions& options, ExtractSummary& summary)
      : bytes_(path, options.threads),
        faults_(bytes_.name(), options.strict, summary),
        keys_(path, options, faults_, summary),
        reader_(open(options)) {}

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
  std::unique_ptr<extract::RecordReader> open(const ExtractOptions& options) {
    const extract::Format* format = &format_of(options.from);
    // As who reads keys looks at it, with a mark that it begins with.
    const std::string page(bytes_.peek(input::kFirstPageBytes));
    if (format->contents != extract::Format::bytes) leave_out_mark(options.format);
    if (options.from == Collection::detected) format = &detected(options.what);
    if (format->contents == extract::Format::lines && !options.format.binary_lines) {
      input::refuse_other_format(bytes_.name(), page, bytes_.is_compressed());
    }
    return format->open(bytes_, options, faults_);
  }

  void leave_out_mark(const KeyFormat& format) {
    if (format.binary_lines) return;
    const std::string_view page = bytes_.peek(input::kFirstPageBytes);
    if (page.starts_with(input::kByteOrderMark)) bytes_.skip(input::kByteOrderMark.size());
  }

  /// The format that the file seems to have, by its first bytes.
  const extract::Format& detected(Extract what) {
    constexpr std::size_t kSeen = std::size_t{16} << 10;
    std::string_view line = bytes_.peek(kSeen);
    line.remove_prefix(std::min(line.find_first_not_of(base::kWhiteSpace), line.size()));
    line = base::trimmed(line.substr(0, line.find('\n')));
    const extract::Format* found = &format_of(Collection::lines);
    for (const extract::Format& each : extract::kFormats) {
      if (has(each, what) && each.begins != nullptr && each.begins(line)) found = &each;
    }
    return *found;
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

  /// Keys found before a fault are handed over before that is thrown.
  bool next(KeyWriter& writer) override {
    if (fault_) std::rethrow_exception(fault_);
    try {
      return fill(writer);
    } catch (const Error&) {
      if (writer.units() == 0) throw;
      fault_ = std::current_exception();
      return true;
    }
  }

 private:
  bool fill(KeyWriter& writer) {
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

  std::vector<std::string> paths_;
  ExtractOptions options_;
  ExtractSummary& summary_;
  std::size_t next_path_ = 0;
  std::unique_ptr<OpenCollection> open_;
  std::exception_ptr fault_;
};

void check(const ExtractOptions& options) {
  const auto refuse = [](const std::string& text) { throw Error(ErrorKind::usage, text); };
  const KeyFormat::Framing framing = options.format.framing;
  if (framing != KeyFormat::Framing::lines && framing != KeyFormat::Framing::null)
    refuse("records are extracted from lines, or from what NUL ends");
  if (options.what != Extract::urls && options.surt) refuse("only URLs have a SURT");
  const extract::Format& format = format_of(options.from);
  if (!has(format, options.what)) {
    refuse("no " + std::string(kExtractNames[static_cast<std::size_t>(options.what)]) +
           " are taken from " + std::string(format.info.name));
  }
  (void)keys::form_of(options);
}

}  // namespace

std::span<const CollectionInfo> collections() noexcept {
  return kInfos;
}

const CollectionInfo& collection_named(std::string_view name) {
  return base::find_named(kInfos, "collection", name);
}

KeyInput extracted_keys(std::vector<std::string> paths, const ExtractOptions& options,
                        ExtractSummary& summary) {
  check(options);
  std::vector<std::string> groups;
  if (options.group_by_file) groups = paths;
  KeyInput input = input_of(std::make_shared<CollectionSource>(std::move(paths), options, summary));
  input.groups = std::move(groups);
  input.format.allow_empty = options.format.allow_empty;
  return input;
}

}  // namespace crivo

namespace crivo::keys {

KeyForm form_of(const ExtractOptions& options) {
  if (options.k < 1 || options.k > kMostBases)
    throw Error(ErrorKind::usage, "a k-mer has 1 to " + std::to_string(kMostBases) +
                                      " bases, not " + std::to_string(options.k));
  KeyForm form{.what = options.what};
  if (form.what == Extract::urls) form.surt = options.surt;
  if (form.what == Extract::terms) form.fold = options.fold;
  if (form.what == Extract::kmers) form.k = options.k;
  return form;
}

}  // namespace crivo::keys
