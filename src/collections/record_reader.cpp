// SPDX-License-Identifier: Apache-2.0
#include "collections/record_reader.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/text.hpp"
#include "crivo/build/extract.hpp"

namespace crivo::extract {
namespace {

/// The scheme that a URI begins with (RFC 3986, 3.1); empty if it has none.
std::string_view scheme_of(std::string_view text) noexcept {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kScheme =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-";
  const std::size_t colon = text.find_first_not_of(kScheme);
  const bool is_scheme = colon != text.npos && colon != 0 && text[colon] == ':' &&
                         kLetters.find(text[0]) != kLetters.npos;
  return is_scheme ? text.substr(0, colon) : std::string_view();
}

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

bool is_url(std::string_view text) noexcept {
  constexpr std::string_view kWithoutHost[] = {"dns", "urn", "mailto", "metadata"};
  const std::string_view scheme = scheme_of(text);
  if (scheme.empty()) return false;
  const std::string_view rest = text.substr(scheme.size() + 1);
  const bool is_spaced = std::ranges::any_of(rest, is_control) || rest.find(' ') != rest.npos;
  const bool has_host = rest.starts_with("//") && rest.size() > 2;
  const bool is_known = std::ranges::find(kWithoutHost, scheme) != std::end(kWithoutHost);
  return !is_spaced && (has_host || (is_known && !rest.empty()));
}

/// Without the white space, and the < and > in it, that may stand around a URL.
std::string_view without_brackets(std::string_view text) noexcept {
  text = base::trimmed(text);
  if (text.starts_with('<') && text.ends_with('>'))
    text = base::trimmed(text.substr(1, text.size() - 2));
  return text;
}

}  // namespace

void KeyTaker::take(std::string_view key, std::uint64_t offset) {
  if (key.empty() && !options_.format.allow_empty) {
    faults_.bad_record(offset, "the key is empty");
  } else if (key.size() > options_.format.max_key_bytes) {
    refuse_long(offset);
  } else {
    group_.empty() ? writer_->key(key) : writer_->record(key, group_);
    handed_over_ += sizeof(std::uint32_t) + key.size();
    ++summary_.keys;
  }
}

void KeyTaker::refuse_long(std::uint64_t offset) {
  const std::uint64_t most = options_.format.max_key_bytes;
  faults_.bad_record(offset, "the key has more than " + std::to_string(most) + " bytes",
                     most < kMaxKeyBytes ? "max_key_bytes" : "");
}

void KeyTaker::take_url(std::string_view url, std::uint64_t offset) {
  // Neither form is shorter by more than a scheme, a port and what stands around a URL.
  constexpr std::size_t kLeftOut = 4096;
  if (url.size() > options_.format.max_key_bytes + kLeftOut) return refuse_long(offset);
  const std::string plain = keys::url(url);
  if (std::ranges::any_of(plain, is_control)) {
    faults_.bad_record(offset, "the URL has control characters");
  } else if (options_.surt) {
    take(keys::surt(plain), offset);
  } else {
    take(plain, offset);
  }
}

void KeyTaker::take_uri(std::string_view uri, std::uint64_t offset) {
  const std::string_view text = without_brackets(uri);
  if (text.empty() || !scheme_of(text).empty()) return take_url(text, offset);
  faults_.bad_record(offset, "its URL has no scheme, such as https:");
}

void KeyTaker::take_url_line(std::string_view line, std::uint64_t offset) {
  const std::string_view text = without_brackets(line);
  if (text.empty() || is_url(text)) return take_url(text, offset);
  faults_.bad_record(offset,
                     "the line is not a URL, which has a scheme such as https:// and no space");
}

void KeyTaker::take_term(std::string_view term, std::uint64_t offset) {
  constexpr std::size_t kLast = std::size_t{1} << 16;
  constexpr std::size_t kShort = 15;  // what a std::string holds in itself
  if (options_.once) {
    if (is_too_long_) return;
    const auto seen = seen_.add(term);
    if (seen == SeenTerms::Add::full) {
      is_too_long_ = true;
      faults_.bad_record(offset,
                         "the document has more than " + std::to_string(SeenTerms::kMostTerms) +
                             " distinct terms, or 8 MiB of them, which are not counted once");
    }
    if (seen != SeenTerms::Add::added) return;
  } else if (options_.distinct && term.size() <= kShort) {
    if (last_.empty()) last_.resize(kLast);
    std::string& last = last_[std::hash<std::string_view>()(term) % kLast];
    if (last == term) {
      ++summary_.keys;
      return;
    }
    last = term;
  }
  take(term, offset);
}

bool end_at_compressed(RecordBytes& bytes, FaultLog& faults) {
  faults.cut_short(bytes.offset(),
                   "compressed data begin behind plain ones, and are not read; decompress them, or "
                   "make them a file of their own");
  return false;
}

namespace {

constexpr std::size_t kFewSlots = std::size_t{1} << 14;

}  // namespace

SeenTerms::Add SeenTerms::add(std::string_view term) {
  if (2 * (terms_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = std::hash<std::string_view>()(term);
  Slot& slot = find(hash, term);
  if (slot.document == document_) return Add::known;
  if (terms_ == kMostTerms || term.size() > kMostBytes - texts_.size()) return Add::full;
  slot = {hash, texts_.size(), static_cast<std::uint32_t>(term.size()), document_};
  texts_.insert(texts_.end(), term.begin(), term.end());
  ++terms_;
  return Add::added;
}

SeenTerms::Slot& SeenTerms::find(std::uint64_t hash, std::string_view term) {
  for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[i];
    if (slot.document != document_) return slot;
    if (slot.hash == hash && std::string_view(texts_.data() + slot.begin, slot.size) == term)
      return slot;
  }
}

void SeenTerms::grow() {
  std::vector<Slot> old(slots_.empty() ? kFewSlots : 2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.document != document_) continue;
    find(slot.hash, {texts_.data() + slot.begin, slot.size}) = slot;
  }
}

void SeenTerms::end_document() {
  texts_.clear();
  terms_ = 0;
  ++document_;
  // Few terms in a large table would each be a miss of the caches.
  if (slots_.size() <= kFewSlots && document_ != 0) return;
  slots_.assign(kFewSlots, {});
  document_ = 1;
}

}  // namespace crivo::extract
