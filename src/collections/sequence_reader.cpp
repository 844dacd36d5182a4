// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "collections/formats.hpp"
#include "input/kmer_window.hpp"

namespace crivo::extract {
namespace {

/// So many bases of a sequence are handed over at once.
constexpr std::size_t kBasesAtOnce = std::size_t{64} << 10;

/// The letters of nucleotides, in either case (Cornish-Bowden, "Nomenclature for incompletely
/// specified bases in nucleic acid sequences: recommendations 1984", NC-IUB), what stands for gaps,
/// and X, with which programs mask bases.
constexpr std::array<bool, 256> letters_of_sequences() noexcept {
  std::array<bool, 256> is_letter{};
  for (const char letter : std::string_view("ACGTURYSWKMBDHVNX-.")) {
    is_letter[static_cast<unsigned char>(letter)] = true;
    if (letter >= 'A') is_letter[static_cast<unsigned char>(letter | 0x20)] = true;
  }
  return is_letter;
}
constexpr std::array<bool, 256> kIsLetter = letters_of_sequences();

bool is_nucleotide(char c) noexcept {
  return kIsLetter[static_cast<unsigned char>(c)];
}

std::string_view without_line_end(std::string_view piece) noexcept {
  return piece.substr(0, std::min(piece.find_first_of("\r\n"), piece.size()));
}

/// FASTA (Pearson, Lipman, "Improved tools for biological sequence comparison", 1988, and the
/// manual of their programs): a line that begins with ">", or is a comment that begins with ";",
/// then lines of bases, in which blanks say nothing; and FASTQ (Cock and others, "The Sanger FASTQ
/// file format", 2010): a line that begins with "@", lines of bases, a line that begins with "+",
/// and as many qualities: a line of them behind one of bases, any lines behind more. Bases are A,
/// C, G, T, in either case: any other letter of IUPAC, and a gap, ends a run, and has no k-mer; so
/// does what is no letter of nucleotides, as proteins have, which is named once a sequence. Not
/// read: names, comments, and what qualities say.
class SequenceReader final : public RecordReader {
 public:
  SequenceReader(RecordBytes& bytes, const ExtractOptions& options, bool has_qualities,
                 FaultLog& faults)
      : bytes_(bytes),
        has_qualities_(has_qualities),
        binary_(options.binary),
        faults_(faults),
        window_(options.k) {}

  /// The line that a sequence begins with.
  bool next(KeyTaker& keys) override {
    if (bytes_.at_end()) {
      if (place_ != Place::name && bytes_.damage().empty())
        faults_.cut_short(bytes_.offset(), place_ == Place::bases
                                               ? "the last read has no four lines"
                                               : "the last read lacks qualities");
      place_ = Place::name;
      return false;
    }
    take_line(keys);
    return true;
  }

  /// A line more of it, or a piece of one.
  bool go_on(KeyTaker& keys) override {
    if (bytes_.at_end() || begins_sequence_here()) return false;
    take_line(keys);
    return true;
  }

 private:
  /// The part of a read that comes next.
  enum class Place { name, bases, qualities };

  bool begins_sequence_here() {
    const char first = bytes_.peek(1)[0];
    if (has_qualities_) return place_ == Place::name && first != '\r' && first != '\n';
    return begins_line_ && (first == '>' || (first == ';' && bases_ != 0));
  }

  void take_line(KeyTaker& keys) {
    const std::uint64_t offset = bytes_.offset();
    if (has_qualities_) {
      take_line_of_read(offset, keys);
    } else if (begins_line_ && (bytes_.peek(1) == ">" || bytes_.peek(1) == ";")) {
      begin_sequence();
      bytes_.skip_line();
    } else {
      take_bases(offset, keys);
    }
  }

  void begin_sequence() noexcept {
    window_.restart();
    is_named_ = false;
    bases_ = bases_lines_ = 0;
  }

  void take_bases(std::uint64_t offset, KeyTaker& keys) {
    const std::string_view piece = bytes_.peek_line(kBasesAtOnce);
    const std::string_view bases = without_line_end(piece);
    const bool has_blanks =
        !has_qualities_ && (bases.find(' ') != bases.npos || bases.find('\t') != bases.npos);
    for (const char byte : bases) {
      if (has_blanks && (byte == ' ' || byte == '\t')) continue;
      if (window_.add(byte)) {
        take(window_.canonical(), offset, keys);
      } else if (!is_nucleotide(byte) && !std::exchange(is_named_, true)) {
        faults_.bad_record(offset, "the sequence has characters that no bases have");
      }
    }
    bases_ += bases.size();
    begins_line_ = piece.ends_with('\n');
    bases_lines_ += begins_line_ ? 1 : 0;
    bytes_.skip(piece.size());
  }

  /// Moves on over a line of qualities, and to the next read if it is the last.
  void skip_qualities(std::uint64_t offset) {
    while (true) {
      const std::string_view piece = bytes_.peek_line(kBasesAtOnce);
      const bool ends = piece.empty() || piece.ends_with('\n');
      qualities_ += without_line_end(piece).size();
      bytes_.skip(piece.size());
      if (ends) break;
    }
    const bool lacks = qualities_ < bases_;
    if (lacks && (bases_lines_ > 1 || bytes_.at_end())) return;
    place_ = Place::name;
    if (qualities_ == bases_ || !bytes_.damage().empty()) return;
    faults_.bad_record(offset, "a read of " + std::to_string(bases_) + " bases has " +
                                   std::to_string(qualities_) + " qualities");
  }

  void fail(std::uint64_t offset, const char* problem) {
    faults_.bad_record(offset, problem);
    place_ = Place::name;
  }

  void take_line_of_read(std::uint64_t offset, KeyTaker& keys) {
    const char first = bytes_.peek(1)[0];
    if (place_ == Place::qualities) {
      skip_qualities(offset);
    } else if (place_ == Place::name) {
      if (first == '@') {
        begin_sequence();
        place_ = Place::bases;
      } else if (first != '\r' && first != '\n') {  // nor blank
        fail(offset, "expected a read, which begins with \"@\"");
      }
      bytes_.skip_line();
    } else if (begins_line_ && first == '+') {
      bytes_.skip_line();
      qualities_ = 0;
      place_ = Place::qualities;
    } else if (begins_line_ && bases_lines_ != 0 && !is_line_of_bases()) {
      fail(offset, "expected \"+\" behind the bases of a read");
      if (first != '@') bytes_.skip_line();
    } else {
      take_bases(offset, keys);
    }
  }

  bool is_line_of_bases() {
    return std::ranges::all_of(without_line_end(bytes_.peek_line(kBasesAtOnce)), is_nucleotide);
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
  bool is_named_ = false;  ///< what the sequence at hand has and no bases
  Place place_ = Place::name;
  std::uint64_t bases_ = 0;  ///< that the read at hand has, and in how many lines
  std::uint64_t bases_lines_ = 0;
  std::uint64_t qualities_ = 0;
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
