// SPDX-License-Identifier: Apache-2.0
/// The contents of a page in an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collections/markup.hpp"
#include "collections/term_splitter.hpp"
#include "input/decoder.hpp"

namespace crivo::extract {

/// A field of a header without white space around it and with A to Z as a to z.
std::string folded_field(std::string_view text);

/// Takes bytes into `head` until that has `wanted`; returns whether it has.
bool fill_head(std::string& head, std::size_t wanted, std::string_view& bytes);

/// Divides documents, which come piece by piece, into terms: HTML, XHTML and XML as MarkupText
/// does, text/plain as it is. Those of other types have none; where the type is not told, it is
/// markup if it begins with "<". A byte order mark of UTF-8 is left out. Texts that begin as UTF-16
/// or UTF-32 do, or with other zero bytes, have a problem, and no terms.
class MediaText {
 public:
  explicit MediaText(TermSplitter& terms) : terms_(terms), markup_(terms) {}

  /// A document of the record at `offset` begins: false if its type has no text. Parameters may
  /// follow the type, and it may be empty.
  bool begin(std::string_view media_type, std::uint64_t offset);
  void add(std::string_view piece);
  /// It ends, or lacks its end: then a term that stands last is left out. Returns why its text was
  /// not read; empty if it was.
  std::string_view end(bool is_whole);

 private:
  enum class Kind { none, plain, html, xml, unknown };

  static Kind kind_of(std::string_view media_type);
  /// Looks at the first bytes, and takes them.
  void open();
  void take(std::string_view piece);

  TermSplitter& terms_;
  MarkupText markup_;
  Kind kind_ = Kind::none;
  std::uint64_t offset_ = 0;
  bool is_open_ = false;
  std::string head_;
  std::string_view problem_;
};

/// Takes the sizes of chunks (RFC 9112, 7.1) out of a body that comes piece by piece. Archives also
/// have bodies whose header says chunked and which are not, or no longer: one that does not begin
/// with a size is taken as it is. O(1) memory.
class ChunkedBody {
 public:
  /// A body begins.
  void begin();
  /// The next bytes of the body that stand in `input`, which is moved on behind them; empty when
  /// there is nothing more in it, or the rest cannot be read. Valid until the next call.
  std::string_view next(std::string_view& input);
  /// The body has ended: what was kept of it.
  std::string_view end();
  /// Why the body could not be read to its end, as a clause; empty if it was, or goes on.
  std::string_view problem() const noexcept { return problem_; }

 private:
  enum class Place { line, chunk, whole, ended };

  /// Reads the line: false if it is no size.
  bool read_size();

  Place place_ = Place::line;
  std::string line_;        ///< the beginning of the one at hand
  std::uint64_t left_ = 0;  ///< of the chunk at hand
  bool is_behind_ = false;  ///< a chunk, which a line end follows
  bool has_chunks_ = false;
  std::string_view problem_;
};

/// Divides the content of records into terms: of a message of HTTP that of its body, by the type
/// that its header tells, without the sizes of chunks, and decoded (gzip, deflate with zlib's
/// header, zstd). Archives also have bodies that are no longer coded as their header says: those
/// that begin with 64 bytes of text are taken as they are. O(1) memory.
class WebContent {
 public:
  /// The forms that a content may have.
  enum class Form {
    document,  ///< of the record's media type
    message,   ///< of HTTP
    either,    ///< a message if it begins with "HTTP/"
  };

  /// Both must outlive this.
  WebContent(const ExtractOptions& options, KeyTaker& keys);

  /// The content of the record at `offset` begins.
  void begin(Form form, std::string_view media_type, std::uint64_t offset);
  void add(std::string_view piece);
  /// How many bytes add() is to be given next, at most `step`: few of those that may inflate.
  std::uint64_t most_at_once(std::uint64_t step) const noexcept;
  /// It ends, or lacks its end: then a term that stands last is left out. Returns why its text
  /// could not be read to its end, or no text.
  Warning end(bool is_whole);

 private:
  enum class Place { start, header, body, nothing };

  void begin_body(std::string_view media_type);
  void add_to_header(std::string_view piece);
  void read_header(std::string_view header);
  /// Three steps of the body: as it was sent; without its chunks' sizes; and as it was before it
  /// was encoded.
  void add_to_body(std::string_view piece);
  void add_encoded(std::string_view piece);
  void decode(std::string_view piece);
  /// Looks at the first encoded bytes, and takes them. `is_all`: there are no more.
  void open(bool is_all);
  void give_up(std::string problem, std::string remedy = {});

  TermSplitter terms_;
  MediaText text_;
  ChunkedBody chunks_;
  Place place_ = Place::nothing;
  std::uint64_t offset_ = 0;
  std::string media_type_;
  std::string head_;  ///< the first bytes of the content, its header, or what the body begins with
  std::string coding_;  ///< Content-Encoding, in lower case
  bool is_chunked_ = false;
  bool is_open_ = false;                                ///< the first encoded bytes have been seen
  std::unique_ptr<input::Decoder> gzip_, zlib_, zstd_;  ///< made at their first use
  input::Decoder* decoder_ = nullptr;                   ///< the body's, until its stream ends
  std::vector<char> decoded_;
  std::uint64_t inflated_ = 0;  ///< bytes of the body that were decoded
  std::uint64_t most_inflated_;
  Warning problem_;
};

}  // namespace crivo::extract
