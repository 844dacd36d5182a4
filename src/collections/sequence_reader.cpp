// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "collections/formats.hpp"
#include "input/kmer_window.hpp"

namespace crivo::extract {
namespace {

/// What is handed over at once of a sequence.
constexpr std::size_t kBasesAtOnce = std::size_t{64} << 10;

/// FASTA (Pearson, Lipman, "Improved tools for biological sequence comparison", 1988, and the
/// manual of their programs): a line that begins with ">", or is a comment that begins with ";",
/// then lines of bases, in which blanks say nothing; and FASTQ (Cock and others, "The Sanger FASTQ
/// file format", 2010): a line that begins with "@", bases, a line that begins with "+", and as
/// many qualities. Bases are A, C, G, T, in either case: any other letter of IUPAC, and "-", ends a
/// run, and has no k-mer. Not read: names, comments, what qualities say; and reads of FASTQ whose
/// bases or qualities take several lines, which are bad records.
class SequenceReader final : public RecordReader {
 public:
  SequenceReader(RecordBytes& bytes, const ExtractOptions& options, bool has_qualities,
                 FaultLog& faults)
      : bytes_(bytes),
        has_qualities_(has_qualities),
        binary_(options.binary),
        faults_(faults),
        window_(options.k) {}

  /// A line, or a piece of one.
  bool next(KeyTaker& keys) override {
    const std::uint64_t offset = bytes_.offset();
    if (bytes_.at_end()) {
      if (has_qualities_ && line_ != 0 && bytes_.damage().empty()) {
        line_ = 0;
        faults_.cut_short(offset, "the last read has no four lines");
      }
      return false;
    }
    if (has_qualities_) {
      take_line_of_read(offset, keys);
    } else if (begins_line_ && (bytes_.peek(1) == ">" || bytes_.peek(1) == ";")) {
      window_.restart();
      bytes_.skip_line();
    } else {
      take_bases(offset, keys);
    }
    return true;
  }

 private:
  void take_bases(std::uint64_t offset, KeyTaker& keys) {
    const std::string_view piece = bytes_.peek_line(kBasesAtOnce);
    const std::string_view bases =
        piece.substr(0, std::min(piece.find_first_of("\r\n"), piece.size()));
    const bool has_blanks =
        !has_qualities_ && (bases.find(' ') != bases.npos || bases.find('\t') != bases.npos);
    for (const char byte : bases) {
      if (has_blanks && (byte == ' ' || byte == '\t')) continue;
      if (window_.add(byte)) take(window_.canonical(), offset, keys);
    }
    bases_ += bases.size();
    begins_line_ = piece.ends_with('\n');
    bytes_.skip(piece.size());
  }

  /// Moves on over the last line of a read.
  void skip_qualities(std::uint64_t offset) {
    std::uint64_t qualities = 0;
    bool ends = false;
    while (!ends) {
      const std::string_view piece = bytes_.peek_line(kBasesAtOnce);
      ends = piece.empty() || piece.ends_with('\n');
      qualities += std::min(piece.find_first_of("\r\n"), piece.size());
      bytes_.skip(piece.size());
    }
    if (qualities == bases_ || !bytes_.damage().empty()) return;
    if (qualities < bases_ && bytes_.at_end()) {
      faults_.cut_short(offset, "the last read lacks qualities");
    } else {
      faults_.bad_record(offset, "a read of " + std::to_string(bases_) + " bases has " +
                                     std::to_string(qualities) + " qualities");
    }
  }

  /// "@" and a name, the bases, "+", and as many qualities: a line each.
  void take_line_of_read(std::uint64_t offset, KeyTaker& keys) {
    constexpr std::string_view kSigns = "@ +";
    const std::size_t sign = line_;
    if (begins_line_ && sign % 2 == 0 && bytes_.peek(1)[0] != kSigns[sign]) {
      faults_.bad_record(offset, sign == 0 ? "expected a read, which begins with \"@\""
                                           : "expected \"+\" behind the bases of a read");
      bytes_.skip_line();
      line_ = 0;
      bases_ = 0;
      return;
    }
    if (line_ == 1) {
      take_bases(offset, keys);
      if (!begins_line_) return;
    } else if (line_ == 3) {
      skip_qualities(offset);
      bases_ = 0;
    } else {
      bytes_.skip_line();
    }
    window_.restart();
    line_ = (line_ + 1) % 4;
  }

  void take(std::uint64_t kmer, std::uint64_t offset, KeyTaker& keys) const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (binary_) {
      std::array<char, sizeof kmer> key{};
      base::store_le(key.data(), kmer);
      keys.take({key.data(), key.size()}, offset);
      return;
    }
    std::array<char, 16> text{};
    for (std::size_t byte = 0; byte < 8; ++byte) {
      text[2 * byte] = kDigits[kmer >> (8 * byte + 4) & 15];
      text[2 * byte + 1] = kDigits[kmer >> (8 * byte) & 15];
    }
    keys.take({text.data(), text.size()}, offset);
  }

  RecordBytes& bytes_;
  bool has_qualities_;
  bool binary_;
  FaultLog& faults_;
  keys::KmerWindow window_;
  bool begins_line_ = true;
  std::size_t line_ = 0;     ///< of the read at hand
  std::uint64_t bases_ = 0;  ///< that it has
};

}  // namespace

std::unique_ptr<RecordReader> fasta_reader(RecordBytes& bytes, const ExtractOptions& options,
                                           FaultLog& faults) {
  return std::make_unique<SequenceReader>(bytes, options, false, faults);
}

std::unique_ptr<RecordReader> fastq_reader(RecordBytes& bytes, const ExtractOptions& options,
                                           FaultLog& faults) {
  return std::make_unique<SequenceReader>(bytes, options, true, faults);
}

bool begins_fastq(std::string_view line) noexcept {
  return line.starts_with('@');
}

}  // namespace crivo::extract
