// SPDX-License-Identifier: Apache-2.0
/// Samples of a stream of records that are spread evenly over its bytes, however long records are,
/// in bounded memory. They depend on the records and their order alone.
///
/// The stream is taken as windows of so many bytes, of which every n-th is kept: n is 1 at first,
/// and doubles whenever what is kept has more bytes than are wanted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "records/block.hpp"
#include "records/build/encoding.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// Pieces of records, keys first, of at most kPieceBytes: what tokens are trained on.
class PieceSample {
 public:
  /// Tokens of a long record repeat: many short pieces tell more than few long ones.
  static constexpr std::size_t kPieceBytes = 256;

  /// Keeps at most `most` bytes, or what begins in one window.
  explicit PieceSample(std::uint64_t most) : most_(most) {}

  void add(std::string_view key, std::string_view record);
  UnitSample units() const noexcept { return {bytes_, sizes_}; }

 private:
  void keep(std::string_view key, std::string_view record, std::size_t begin, std::size_t size);
  void thin();

  std::uint64_t most_;
  std::uint64_t step_ = 1;
  std::uint64_t place_ = 0;  // in the stream
  base::Bytes bytes_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint64_t> windows_;  // the window of each
};

/// Records by which codecs are judged. Of those longer than a window the front is kept.
class JudgeSample {
 public:
  static constexpr std::uint64_t kWindowBytes = kMostBlock;
  static constexpr std::size_t kFrontBytes = 4 * kMostBlock;

  struct Judge {
    std::size_t begin;       ///< of the key, then the record's front, in bytes()
    std::uint32_t key_size;  ///< in bytes
    std::uint32_t front;     ///< of the record, in bytes
    std::uint64_t size;      ///< of key and whole record
    std::uint64_t place;     ///< of the key, in the stream
  };

  /// Keeps at most `most` bytes, or what begins in one window.
  explicit JudgeSample(std::uint64_t most) : most_(most) {}

  void add(std::string_view key, std::string_view record);
  std::span<const Judge> judges() const noexcept { return judges_; }
  /// The bytes of the keys and fronts.
  std::uint64_t bytes() const noexcept { return bytes_.size(); }
  std::string_view key(const Judge& judge) const noexcept {
    return base::as_text(bytes_).substr(judge.begin, judge.key_size);
  }
  std::string_view front(const Judge& judge) const noexcept {
    return base::as_text(bytes_).substr(judge.begin + judge.key_size, judge.front);
  }
  /// For how many records of the stream it stands.
  double weight(const Judge& judge) const noexcept;

 private:
  // How many of the kept windows begin in a long record; 1 if that in which a short one begins is
  // kept, else 0.
  std::uint64_t windows(std::uint64_t place, std::uint64_t size) const noexcept;
  void thin();

  std::uint64_t most_;
  std::uint64_t step_ = 1;
  std::uint64_t place_ = 0;
  base::Bytes bytes_;
  std::vector<Judge> judges_;
};

/// Blocks of the first records, what zstd's dictionary is trained on. Of a long block the front is
/// kept.
class BlockSample {
 public:
  BlockSample(std::uint32_t block_bytes, std::uint64_t most) : cutter_(block_bytes), most_(most) {}

  bool is_full() const noexcept { return bytes_.size() >= most_; }
  /// The next record, unless it is full.
  void add(std::string_view key, std::string_view record);
  UnitSample units() const noexcept { return {bytes_, sizes_}; }

 private:
  BlockCutter cutter_;
  std::uint64_t most_;
  base::Bytes bytes_;
  std::vector<std::size_t> sizes_;
};

}  // namespace crivo::records
