// SPDX-License-Identifier: Apache-2.0
#include "collections/web_content.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "collections/record_reader.hpp"
#include "crivo/build/extract.hpp"
#include "input/compression.hpp"
#include "input/first_page.hpp"

namespace crivo::extract {
namespace {

constexpr std::string_view kMessage = "HTTP/";
constexpr const char* kNoEnd = "its HTTP header does not end";
constexpr std::size_t kMostHeader = std::size_t{256} << 10;
constexpr std::size_t kEncodedHead = 64;
constexpr std::size_t kDecoded = std::size_t{64} << 10;

/// Where the empty line of a header ends; npos: not in `text`.
std::size_t end_of_header(std::string_view text, std::size_t from) noexcept {
  for (std::size_t at = text.find('\n', from); at != text.npos; at = text.find('\n', at + 1)) {
    const std::string_view behind = text.substr(at + 1);
    if (behind.starts_with('\n')) return at + 2;
    if (behind.starts_with("\r\n")) return at + 3;
  }
  return text.npos;
}

bool is_text(std::string_view bytes) noexcept {
  return std::ranges::none_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || byte == 0x7f;
  });
}

/// Two bytes that a stream of zlib begins with (RFC 1950).
bool is_zlib(std::string_view bytes) noexcept {
  if (bytes.size() < 2) return false;
  const unsigned first = static_cast<unsigned char>(bytes[0]);
  const unsigned second = static_cast<unsigned char>(bytes[1]);
  return (first & 0x0f) == 8 && (first * 256 + second) % 31 == 0;
}

input::Decoder* made(std::unique_ptr<input::Decoder>& decoder,
                     std::unique_ptr<input::Decoder> (*make)()) {
  if (decoder == nullptr) decoder = make();
  decoder->begin_stream();
  return decoder.get();
}

}  // namespace

WebContent::WebContent(const ExtractOptions& options, KeyTaker& keys)
    : terms_(options.fold, keys), text_(terms_), most_inflated_(options.max_record_bytes) {}

void WebContent::begin(Form form, std::string_view media_type, std::uint64_t offset) {
  offset_ = offset;
  media_type_ = media_type;
  head_.clear();
  coding_.clear();
  problem_ = {};
  inflated_ = 0;
  is_chunked_ = false;
  decoder_ = nullptr;
  place_ = form == Form::message ? Place::header : Place::start;
  if (form == Form::document) begin_body(media_type_);
}

void WebContent::add(std::string_view piece) {
  if (place_ == Place::start && fill_head(head_, kMessage.size(), piece)) {
    const std::string head = std::exchange(head_, {});
    if (head == kMessage) {
      place_ = Place::header;
    } else {
      begin_body(media_type_);
    }
    add(head);
  }
  if (place_ == Place::header) {
    add_to_header(piece);
  } else if (place_ == Place::body) {
    add_to_body(piece);
  }
}

std::uint64_t WebContent::most_at_once(std::uint64_t step) const noexcept {
  constexpr std::uint64_t kEncodedStep = 512;  // zstd makes 128 KiB of some 10 bytes
  const bool may_inflate = place_ == Place::start || place_ == Place::header ||
                           (place_ == Place::body && !coding_.empty());
  return may_inflate ? std::min(step, kEncodedStep) : step;
}

Warning WebContent::end(bool is_whole) {
  if (place_ == Place::start) {
    const std::string head = std::exchange(head_, {});
    begin_body(media_type_);
    add(head);
  }
  if (place_ == Place::body) {
    if (is_chunked_) {
      add_encoded(chunks_.end());
      if (place_ == Place::body) problem_.text = chunks_.problem();
    }
    if (!is_open_ && place_ == Place::body) open(true);
    if (decoder_ != nullptr && place_ == Place::body)
      give_up("its body ends before its Content-Encoding of " + coding_ + " does");
    const std::string_view problem = text_.end(is_whole && problem_.text.empty());
    if (problem_.text.empty()) problem_.text = problem;
  } else if (place_ == Place::header && !head_.empty()) {
    give_up(kNoEnd);
  }
  place_ = Place::nothing;
  return std::exchange(problem_, {});
}

void WebContent::begin_body(std::string_view media_type) {
  place_ = text_.begin(media_type, offset_) ? Place::body : Place::nothing;
  is_open_ = false;
  head_.clear();
  chunks_.begin();
}

void WebContent::add_to_header(std::string_view piece) {
  const std::size_t seen = head_.size();
  head_ += piece.substr(0, kMostHeader - seen);
  const std::size_t end = end_of_header(head_, std::max<std::size_t>(seen, 2) - 2);
  if (end != head_.npos) {
    read_header(std::exchange(head_, {}).substr(0, end));
    add(piece.substr(end - seen));
  } else if (head_.size() == kMostHeader) {
    give_up(kNoEnd);
  }
}

// A message of HTTP/1.1 (RFC 9112): of its header, whose lines may go on in the next (5.2),
// Content-Type, Content-Encoding and whether the last Transfer-Encoding is chunked. A body with a
// Content-Encoding is gzip (RFC 1952), zstd (RFC 8878) or zlib (RFC 1950, as "deflate") by its
// first bytes, or text as it stands; a raw deflate, br and others are named, and the page is a bad
// record; so is one with two codings. Not read: extensions of chunks, trailers, and what
// Content-Length says.
void WebContent::read_header(std::string_view header) {
  if (header.substr(0, header.find('\n')).find(kMessage) == header.npos) {
    give_up("its content is not a message of HTTP");
    return;
  }
  std::string_view media_type;
  while (!header.empty()) {
    std::size_t end = 0;
    do {
      end = std::min(header.find('\n', end), header.size() - 1) + 1;
    } while (end != header.size() && (header[end] == ' ' || header[end] == '\t'));
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(end);
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string name = folded_field(line.substr(0, colon));
    const std::string_view value = line.substr(colon + 1);
    if (name == "content-type") media_type = value;
    if (name == "content-encoding") coding_ = folded_field(value);
    if (name == "transfer-encoding") is_chunked_ = folded_field(value).ends_with("chunked");
  }
  if (coding_ == "identity") coding_.clear();
  begin_body(media_type);
}

void WebContent::add_to_body(std::string_view piece) {
  if (!is_chunked_) {
    add_encoded(piece);
    return;
  }
  while (place_ == Place::body) {
    const std::string_view bytes = chunks_.next(piece);
    if (bytes.empty()) return;
    add_encoded(bytes);
  }
}

void WebContent::add_encoded(std::string_view piece) {
  if (!is_open_) {
    if (!fill_head(head_, kEncodedHead, piece)) return;
    open(false);
  }
  if (place_ == Place::body && !piece.empty()) decode(piece);
}

void WebContent::open(bool is_all) {
  is_open_ = true;
  const std::string_view head = head_;
  if (!coding_.empty() && !head.empty()) {
    const auto compression = input::detect_compression(head, is_all);
    if (coding_.find(',') != coding_.npos && !is_text(head)) {
      give_up("its two Content-Encodings of " + coding_ + " are not read");
      return;
    }
    if (compression == input::Compression::gzip) {
      decoder_ = made(gzip_, input::gzip_decoder);
    } else if (compression == input::Compression::zstd) {
      decoder_ = made(zstd_, input::zstd_decoder);
    } else if (coding_ == "deflate" && is_zlib(head)) {
      decoder_ = made(zlib_, input::zlib_decoder);
    } else if (is_text(head)) {
      coding_.clear();
    } else {
      give_up("its Content-Encoding of " + coding_ + " is not read");
      return;
    }
  }
  decode(head);
}

void WebContent::decode(std::string_view piece) {
  if (coding_.empty()) {
    text_.add(piece);
    return;
  }
  decoded_.resize(kDecoded);
  std::span<const char> input(piece);
  while (decoder_ != nullptr) {
    const input::DecodeStep step = decoder_->decode(input, decoded_);
    if (step.damage != nullptr || step.memory_needed != 0) {
      decoder_ = nullptr;
      problem_.text = "its Content-Encoding of " + coding_ + " is damaged: " +
                      (step.damage != nullptr ? step.damage : "it needs too much memory");
      return;
    }
    input = input.subspan(step.taken);
    inflated_ += step.made;
    if (inflated_ > most_inflated_) {
      give_up("its body has more than " + std::to_string(most_inflated_) +
                  " bytes without its Content-Encoding of " + coding_,
              "max_record_bytes");
      return;
    }
    text_.add({decoded_.data(), step.made});
    if (step.ended) decoder_ = nullptr;
    if (input.empty() && step.made != decoded_.size()) return;
    if (step.taken == 0 && step.made == 0) return;
  }
}

void WebContent::give_up(std::string problem, std::string remedy) {
  problem_ = {.text = std::move(problem), .remedy = std::move(remedy)};
  place_ = Place::nothing;
}

namespace {

/// A line with a size and what servers add to it is no longer.
constexpr std::size_t kMostSizeLine = 1024;

}  // namespace

void ChunkedBody::begin() {
  place_ = Place::line;
  line_.clear();
  is_behind_ = false;
  has_chunks_ = false;
  problem_ = {};
}

std::string_view ChunkedBody::next(std::string_view& input) {
  while (!input.empty() && place_ != Place::ended) {
    if (place_ == Place::whole) return std::exchange(input, {});
    if (place_ == Place::chunk) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
      const std::string_view bytes = input.substr(0, count);
      input.remove_prefix(count);
      left_ -= count;
      if (left_ == 0) place_ = Place::line;
      return bytes;
    }
    const std::size_t room = kMostSizeLine - line_.size();
    const std::size_t end = std::min({input.find('\n'), input.size() - 1, room - 1});
    line_ += input.substr(0, end + 1);
    input.remove_prefix(end + 1);
    if (line_.back() != '\n' && line_.size() < kMostSizeLine) continue;
    if (!read_size()) {
      if (!has_chunks_) {
        place_ = Place::whole;
        return line_;
      }
      place_ = Place::ended;
      problem_ = "its body is chunked, and a chunk in it has no size";
      break;
    }
    line_.clear();
  }
  input = {};
  return {};
}

bool ChunkedBody::read_size() {
  const std::string_view text = base::trimmed(std::string_view(line_).substr(0, line_.find(';')));
  if (text.empty() && std::exchange(is_behind_, false)) return true;
  constexpr int kHexadecimal = 16;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, left_, kHexadecimal);
  if (error != std::errc() || behind != end) return false;
  is_behind_ = true;
  has_chunks_ = true;
  place_ = left_ == 0 ? Place::ended : Place::chunk;
  return true;
}

std::string_view ChunkedBody::end() {
  const bool is_whole = place_ == Place::line && !read_size() && !has_chunks_;
  if (has_chunks_ && place_ != Place::ended)
    problem_ = "its body is chunked, and ends before its last chunk does";
  return is_whole ? line_ : std::string_view();
}

namespace {

/// White space and a byte order mark that come before the first tag are hardly longer.
constexpr std::size_t kTextHead = 64;

}  // namespace

std::string folded_field(std::string_view text) {
  return keys::fold(base::trimmed(text));
}

bool fill_head(std::string& head, std::size_t wanted, std::string_view& bytes) {
  const std::size_t count = std::min(wanted - head.size(), bytes.size());
  head += bytes.substr(0, count);
  bytes.remove_prefix(count);
  return head.size() == wanted;
}

MediaText::Kind MediaText::kind_of(std::string_view media_type) {
  const std::string type = folded_field(media_type.substr(0, media_type.find(';')));
  if (type.empty()) return Kind::unknown;
  if (type == "text/html") return Kind::html;
  if (type == "text/plain") return Kind::plain;
  return type.ends_with("/xml") || type.ends_with("+xml") ? Kind::xml : Kind::none;
}

bool MediaText::begin(std::string_view media_type, std::uint64_t offset) {
  kind_ = kind_of(media_type);
  offset_ = offset;
  is_open_ = false;
  problem_ = {};
  head_.clear();
  return kind_ != Kind::none;
}

void MediaText::add(std::string_view piece) {
  if (!is_open_) {
    if (!fill_head(head_, kTextHead, piece)) return;
    open();
  }
  take(piece);
}

std::string_view MediaText::end(bool is_whole) {
  if (!is_open_) open();
  if (!is_whole) markup_.cut();
  kind_ == Kind::plain ? terms_.end() : markup_.end();
  kind_ = Kind::none;
  return problem_;
}

void MediaText::open() {
  is_open_ = true;
  std::string_view head = head_;
  if (head.starts_with(input::kByteOrderMark)) head.remove_prefix(input::kByteOrderMark.size());
  const bool is_other =
      head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff") || head.find('\0') != head.npos;
  if (is_other && kind_ != Kind::unknown) {
    problem_ = "its text is binary, or in an encoding that is not read";
    kind_ = Kind::none;
  }
  if (kind_ == Kind::unknown)
    kind_ = base::trimmed(head).starts_with('<') ? Kind::html : Kind::none;
  markup_.begin(kind_ == Kind::xml, offset_);
  take(head);
}

void MediaText::take(std::string_view piece) {
  if (kind_ == Kind::plain) {
    terms_.add(piece, offset_);
  } else if (kind_ != Kind::none) {
    markup_.add(piece);
  }
}

}  // namespace crivo::extract
