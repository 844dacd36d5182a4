// SPDX-License-Identifier: Apache-2.0
/// The formats of collections: a row each, which all that names, detects or reads one goes by. A
/// new one is an enumerator of Collection, its reader's file, and its functions and row here.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "collections/record_reader.hpp"
#include "crivo/build/extract.hpp"

namespace crivo::extract {

/// Opens the records of the file at `bytes`. All that is given must outlive the reader.
using OpenReader = std::unique_ptr<RecordReader>(RecordBytes& bytes, const ExtractOptions& options,
                                                 FaultLog& faults);
/// Tells by the first line of a file, without white space around it, whether it has the format.
using Begins = bool(std::string_view line) noexcept;

OpenReader line_reader;
OpenReader warc_reader;
OpenReader arc_reader;
OpenReader cdx_reader;
OpenReader plaintext_reader;
OpenReader trec_reader;
OpenReader fasta_reader;
OpenReader fastq_reader;
/// Opens the file once more: throws Error(usage) where it is not a regular one.
OpenReader payload_reader;

Begins begins_warc;
Begins begins_arc;
Begins begins_cdx;
Begins begins_trec;
Begins begins_fastq;
constexpr bool begins_anyhow(std::string_view /*line*/) noexcept {
  return true;
}

struct Format {
  CollectionInfo info;
  Begins* begins = nullptr;  ///< null: a file is of the format only where that is named
  OpenReader* open = nullptr;
  /// The form of the contents: text is without a byte order mark at its beginning; lines are
  /// refused by name where the first page is of another format.
  enum Contents { bytes, text, lines } contents = lines;
};

inline constexpr std::array kLines{Extract::lines, Extract::urls, Extract::terms, Extract::docnos};
inline constexpr std::array kAll{Extract::lines, Extract::urls, Extract::terms, Extract::docnos,
                                 Extract::kmers};
inline constexpr std::array kPages{Extract::urls, Extract::terms, Extract::docnos};
inline constexpr std::array kDocuments{Extract::terms, Extract::docnos};
inline constexpr std::array kSequences{Extract::kmers};
inline constexpr std::array kPayloads{Extract::lines, Extract::terms, Extract::docnos};

/// In the order of the enumerators. A file has the last format that it begins as, of those whose
/// records have what is extracted.
inline constexpr std::array kFormats{
    Format{.info = {Collection::detected, "auto", kAll}},
    Format{{Collection::lines, "lines", kLines}, begins_anyhow, line_reader},
    Format{{Collection::warc, "warc", kPages}, begins_warc, warc_reader, Format::text},
    Format{
        {Collection::arc, "arc", std::span(kPages).first(2)}, begins_arc, arc_reader, Format::text},
    Format{{Collection::cdx, "cdx", std::span(kPages).first(1)}, begins_cdx, cdx_reader},
    Format{{Collection::plaintext, "plaintext", kDocuments}, nullptr, plaintext_reader},
    Format{{Collection::trec, "trec", kDocuments}, begins_trec, trec_reader, Format::text},
    Format{{Collection::fasta, "fasta", kSequences}, begins_anyhow, fasta_reader},
    Format{{Collection::fastq, "fastq", kSequences}, begins_fastq, fastq_reader},
    Format{{Collection::pisa, "pisa", kPayloads}, nullptr, payload_reader, Format::bytes},
};

}  // namespace crivo::extract
