// SPDX-License-Identifier: Apache-2.0
/// Keys out of collections and texts: URLs of web archives, document numbers, terms, k-mers. These
/// calls are in the library crivo-collections, which is linked beside crivo.
///
///     crivo::ExtractSummary summary;
///     const auto urls = crivo::extracted_keys({"crawl.warc.gz"}, {.what = crivo::Extract::urls},
///                                             summary);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/key_form.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"

namespace crivo {

/// Says how the records of a file are written.
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

/// Describes such a format.
struct CollectionInfo {
  Collection collection;
  std::string_view name;          ///< "auto" for Collection::detected
  std::span<const Extract> keys;  ///< what its records have; first what is taken if none is named
};
/// Lists all formats, in the order of the enumerators.
CRIVO_API std::span<const CollectionInfo> collections() noexcept;
/// Finds a format by its name. Throws Error(usage), which lists the names.
CRIVO_API const CollectionInfo& collection_named(std::string_view name);

/// Says what to extract, and how.
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
  /// A page of terms whose Content-Encoding decompresses to more bytes is a bad record, which has
  /// the terms before.
  std::uint64_t max_record_bytes = kMaxRecordBytes;
  /// That decompress files of several gzip members; 0 is one a core. Keys are alike for any.
  unsigned threads = 1;
  /// Each key is handed over with the path of its file, its group in a filter set, and the input
  /// has all paths for KeyInput::groups.
  bool group_by_file = false;
};

/// Tells what came of an extraction. It is complete when the input was read to its end.
struct ExtractSummary {
  std::uint64_t records = 0;      ///< that were read, with those that have no key and the bad ones
  std::uint64_t keys = 0;         ///< that were handed over
  std::uint64_t bad_records = 0;  ///< that are not what their format asks for
  std::uint64_t cut_files = 0;    ///< that end, or are damaged, before their last record ends
  /// "FILE: byte N: what is wrong" of the first 100 of both, N in the decompressed file.
  std::vector<Warning> warnings;
};

/// Returns the keys of some files ("-" is standard input), in order and each as often as it is
/// there, as the input of a build or of sort_keys(): read once, as a pipe is. Files are
/// decompressed as KeyInput says. A record that is bad has no key, but where its key could be read
/// before it went wrong; a file that is cut short has those before.
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

/// Returns the form of keys that are extracted by these options. Throws Error(usage) where k is out
/// of range.
CRIVO_API KeyForm form_of(const ExtractOptions& options);

}  // namespace crivo::keys
