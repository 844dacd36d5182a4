// SPDX-License-Identifier: Apache-2.0
/// Keys out of collections and texts: URLs of web archives, document numbers, terms, k-mers; and
/// the form in which they were taken, so that what is asked for is put in the same form.
///
///     const auto urls = crivo::extracted_keys({"crawl.warc.gz"}, {.what = crivo::Extract::urls});
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"

namespace crivo {

/// What becomes a key.
enum class Extract {
  lines,   ///< each line, or what ExtractOptions::format takes out of it
  urls,    ///< the URL that each record is about; of lines, those that are URLs
  terms,   ///< each run of letters and digits in the text of each document
  docnos,  ///< what each document is called
  kmers,   ///< each ExtractOptions::k bases that follow one another, in hexadecimal digits
};

/// Their names, in order.
inline constexpr std::array<std::string_view, 5> kExtractNames{"lines", "urls", "terms", "docnos",
                                                               "kmers"};

/// How the records of a file are written.
enum class Collection {
  detected,   ///< by the first bytes of each file
  lines,      ///< one a line, as ExtractOptions::format says: each is a key, or a document's text
  warc,       ///< WARC 0.18 to 1.1: URLs, the terms of pages, and of docnos the records' names
  arc,        ///< ARC, versions 1 and 2, what WARC was made of: URLs, and the terms of pages
  cdx,        ///< the lines of a CDX file, with or without its legend, or of a CDXJ file
  plaintext,  ///< a document a line: its docno, a space or TAB, and its text
  trec,       ///< documents in elements DOC, each with a DOCNO: TREC SGML and TREC web
  fasta,      ///< sequences, each behind a line that begins with ">"
  fastq,      ///< reads of four lines each
  pisa,  ///< a payload vector of PISA's (.termlex, .doclex): each payload is a key as it stands
};
/// Their names, in order.
inline constexpr std::array<std::string_view, 10> kCollectionNames{
    "auto", "lines", "warc", "arc", "cdx", "plaintext", "trec", "fasta", "fastq", "pisa"};

struct ExtractOptions {
  Extract what = Extract::lines;
  Collection from = Collection::detected;
  KeyFormat format{};  ///< of lines: `lines` or `null`
  /// The WARC-Type of the records whose keys are taken, in lower case. Those of ARC are responses.
  std::vector<std::string> record_types{"response", "resource", "revisit", "conversion"};
  bool distinct = false;  ///< of terms: how often each is handed over does not matter
  bool surt = false;      ///< of URLs: keys::surt() of each
  bool fold = true;       ///< of terms: A to Z become a to z
  bool once = false;      ///< of terms: each once a document, however often it is there
  unsigned k = 31;        ///< of k-mers: bases, 1 to kMostBases
  bool strict = false;    ///< a bad record is an error, not a warning
  bool binary = false;    ///< of k-mers: keys are 8 bytes, not their hexadecimal digits
  /// Of terms: a page whose Content-Encoding decompresses to more bytes is a bad record, which has
  /// the terms before.
  std::uint64_t max_record_bytes = kMaxRecordBytes;
  /// That decompress files of several gzip members; 0 is one a core. Keys are alike for any.
  unsigned threads = 1;
};

/// What came of it. Complete when the input was read to its end.
struct ExtractSummary {
  std::uint64_t records = 0;      ///< that were read, with those that have no key and the bad ones
  std::uint64_t keys = 0;         ///< that were handed over
  std::uint64_t bad_records = 0;  ///< that are not what their format asks for
  std::uint64_t cut_files = 0;    ///< that end, or are damaged, before their last record ends
  /// "FILE: byte N: what is wrong" of the first 100 of both, N in the decompressed file.
  std::vector<Warning> warnings;
};

/// Of a k-mer: 2 bits each in 64.
inline constexpr unsigned kMostBases = 31;

/// The keys of some files ("-" is standard input), in order and each as often as it is there, as
/// the input of a build or of sort_keys(): read once, as a pipe is. Files are decompressed as
/// KeyInput says. A record that is bad has no key, but where its key could be read before it went
/// wrong; a file that is cut short has those before.
///
/// A term is as long a run of letters and digits of ASCII and bytes from 0x80 on as there is; in
/// markup, what stands in tags, comments, scripts and styles has none, and a reference is the
/// letter that it stands for, or divides. The terms of an archive's record are those of the page
/// that it has, HTML, XHTML, XML or plain text, without chunks and what gzip, deflate or zstd made
/// of it. Its docno is its WARC-TREC-ID, or else its WARC-Record-ID. With neither `once` nor a use
/// for how often they occur, terms need not be handed over each time: `distinct` leaves most
/// repeats out.
///
/// A k-mer is canonical: the lesser of a window and its reverse complement, as numbers of which the
/// first base stands highest, A 0, C 1, G 2, T 3. Bases may be in lower case; a window holds no
/// other byte. The key is that number's 8 bytes, the lowest first, or where they are not `binary`
/// their 16 hexadecimal digits (with KeyFormat::hex a build takes them for the bytes, which are the
/// key of a number).
///
/// `summary` is written to while the keys are read, and must outlive the input. O(1) memory, and
/// that of the longest line where the key is a part of it: a key, a line or an inflated page over
/// its limit (`max_key_bytes`, `max_line_bytes`, `max_record_bytes`) is a bad record. With `once` a
/// document has at most 2^18 distinct terms, or 8 MiB of them; those behind them are left out, and
/// it is bad. Reading throws Error: usage, bad_input (with `strict`), io.
CRIVO_API KeyInput extracted_keys(std::vector<std::string> paths, const ExtractOptions& options,
                                  ExtractSummary& summary);

}  // namespace crivo

namespace crivo::keys {

/// A URL in the order of its host's parts, from the last, as indexes of web archives have it
/// ("Sort- friendly URI Reordering Transform"): http://www.Example.com:80/A?b=2&a=1#c is
/// com,example)/a?a=1&b=2. Without a scheme, user, port that is the scheme's own, leading "www"
/// with digits behind it, and fragment; in lower case (of ASCII); with the parts of the query in
/// byte order, and no slash at the end of a path but "/". An address in digits or brackets is not
/// turned around. What has no host (dns:example.com) stays as it is; example.com/ is read as a URL
/// of http. Percent signs and session ids stay. O(url log(url)).
CRIVO_API std::string surt(std::string_view url);

}  // namespace crivo::keys

namespace crivo::keys {

/// Of ExtractOptions, what a key depends on. Options that do not matter to `what` have their
/// defaults.
struct KeyForm {
  Extract what = Extract::lines;
  bool surt = false;  ///< of URLs
  bool fold = true;   ///< of terms
  unsigned k = 31;    ///< of k-mers

  friend bool operator==(const KeyForm&, const KeyForm&) = default;
};

/// That of keys that are extracted by these options. Throws Error(usage) where k is out of range.
CRIVO_API KeyForm form_of(const ExtractOptions& options);

/// "lines", "urls", "urls surt", "terms fold", "terms", "docnos" or "kmers 31", and back: nothing
/// for another text.
CRIVO_API std::string form_text(const KeyForm& form);
CRIVO_API std::optional<KeyForm> parse_form(std::string_view text);
/// That of a file with this metadata (FileInfo::metadata), where there is one.
CRIVO_API std::optional<KeyForm> recorded_form(
    const std::map<std::string, std::string, std::less<>>& metadata);

/// The key that `text` becomes: fold(), url(), surt() of that, or the 8 bytes of kmer(), the lowest
/// first, as the form says. Of a text that is no k-mer of the form's bases, an empty key.
CRIVO_API std::string key_of(const KeyForm& form, std::string_view text);

/// A to Z as a to z; all other bytes stay.
CRIVO_API std::string fold(std::string_view term);
/// A URL as it is extracted: without < and > and white space around it, a space in it as %20.
CRIVO_API std::string url(std::string_view text);
/// The canonical number of 1 to kMostBases bases, in either case: the lesser of that of the bases
/// and that of their reverse complement, the first highest, A 0, C 1, G 2, T 3. Nothing for any
/// other text.
CRIVO_API std::optional<std::uint64_t> kmer(std::string_view bases);

}  // namespace crivo::keys
