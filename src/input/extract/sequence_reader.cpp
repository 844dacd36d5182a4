// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "input/extract/record_reader.hpp"

namespace crivo::extract {
namespace {

/// What is handed over at once of a sequence.
constexpr std::size_t kBasesAtOnce = std::size_t{64} << 10;
constexpr std::uint8_t kNoBase = 4;

constexpr std::array<std::uint8_t, 256> base_numbers() noexcept {
  std::array<std::uint8_t, 256> numbers{};
  numbers.fill(kNoBase);
  std::uint8_t number = 0;
  for (const char base : {'A', 'C', 'G', 'T'}) {
    numbers[static_cast<unsigned char>(base)] = number;
    numbers[static_cast<unsigned char>(base | 0x20)] = number;
    ++number;
  }
  return numbers;
}
constexpr std::array<std::uint8_t, 256> kBaseNumbers = base_numbers();

/// The last k bases, and the complements of them in reverse.
class Window {
 public:
  explicit Window(unsigned k) noexcept
      : k_(k), mask_(~std::uint64_t{0} >> (64 - 2 * k)), top_(2 * (k - 1)) {}

  void restart() noexcept { bases_ = 0; }
  /// Whether there are k bases now.
  bool add(char byte) noexcept {
    const std::uint64_t base = kBaseNumbers[static_cast<unsigned char>(byte)];
    if (base == kNoBase) {
      restart();
      return false;
    }
    forward_ = (forward_ << 2 | base) & mask_;
    reverse_ = reverse_ >> 2 | (3 - base) << top_;
    bases_ = std::min(bases_ + 1, k_);
    return bases_ == k_;
  }
  std::uint64_t canonical() const noexcept { return std::min(forward_, reverse_); }

 private:
  unsigned k_;
  std::uint64_t mask_;
  unsigned top_;
  std::uint64_t forward_ = 0;
  std::uint64_t reverse_ = 0;
  unsigned bases_ = 0;
};

class SequenceReader final : public RecordReader {
 public:
  SequenceReader(RecordBytes& bytes, const ExtractOptions& options, bool has_qualities,
                 FaultLog& faults)
      : bytes_(bytes), has_qualities_(has_qualities), faults_(faults), window_(options.k) {}

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
    } else if (begins_line_ && bytes_.peek(1) == ">") {
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
    for (const char byte : bases) {
      if (window_.add(byte)) take(window_.canonical(), offset, keys);
    }
    begins_line_ = piece.ends_with('\n');
    bytes_.skip(piece.size());
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
      return;
    }
    if (line_ == 1) {
      take_bases(offset, keys);
      if (!begins_line_) return;
    } else {
      bytes_.skip_line();
    }
    window_.restart();
    line_ = (line_ + 1) % 4;
  }

  static void take(std::uint64_t kmer, std::uint64_t offset, KeyTaker& keys) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<char, 16> text{};
    for (std::size_t byte = 0; byte < 8; ++byte) {
      text[2 * byte] = kDigits[kmer >> (8 * byte + 4) & 15];
      text[2 * byte + 1] = kDigits[kmer >> (8 * byte) & 15];
    }
    keys.take({text.data(), text.size()}, offset);
  }

  RecordBytes& bytes_;
  bool has_qualities_;
  FaultLog& faults_;
  Window window_;
  bool begins_line_ = true;
  std::size_t line_ = 0;  ///< of the read at hand
};

}  // namespace

std::unique_ptr<RecordReader> sequence_reader(RecordBytes& bytes, const ExtractOptions& options,
                                              bool has_qualities, FaultLog& faults) {
  return std::make_unique<SequenceReader>(bytes, options, has_qualities, faults);
}

}  // namespace crivo::extract
