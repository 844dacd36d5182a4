// SPDX-License-Identifier: Apache-2.0
#include "input/input_bytes.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "input/decoder.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kInputBuffer = std::size_t{256} << 10;

/// The file's own bytes; a few of them were read already, to see what they are.
class PlainBytes final : public InputBytes {
 public:
  PlainBytes(InputFile& file, std::span<const char> head)
      : file_(file), head_(head.begin(), head.end()) {}

  std::size_t read(std::span<char> room) override {
    std::size_t count = 0;
    if (taken_ < head_.size()) {
      count = std::min(room.size(), head_.size() - taken_);
      std::copy_n(head_.data() + taken_, count, room.data());
      taken_ += count;
    } else {
      count = file_.read(room);
    }
    consumed_ += count;
    return count;
  }

  std::uint64_t consumed() const noexcept override { return consumed_; }

 private:
  InputFile& file_;
  std::vector<char> head_;
  std::size_t taken_ = 0;
  std::uint64_t consumed_ = 0;
};

/// Compressed bytes on their way to a decoder: a buffer that refills itself.
class CompressedInput {
 public:
  CompressedInput(InputFile& file, std::span<const char> head)
      : plain_(file, head), buffer_(kInputBuffer) {}

  /// The bytes not yet decoded; empty only at the end of the file.
  std::span<const char> pending() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = plain_.read(buffer_);
    }
    return buffered();
  }
  /// Those of them that are at hand; may be empty before the end.
  std::span<const char> buffered() const noexcept {
    return std::span<const char>(buffer_).subspan(begin_, end_ - begin_);
  }
  void consume(std::size_t count) { begin_ += count; }
  std::uint64_t consumed() const noexcept { return plain_.consumed(); }
  /// In the file, of the first byte not yet decoded.
  std::uint64_t position() const noexcept { return plain_.consumed() - (end_ - begin_); }

 private:
  PlainBytes plain_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// The bytes that a decoder makes of a file's streams, one after another.
class DecodedBytes final : public InputBytes {
 public:
  DecodedBytes(InputFile& file, std::span<const char> head, Compression compression)
      : name_(file.name()),
        input_(file, head),
        compression_(compression),
        decoder_(decoder_of(compression)) {}
  /// Decodes `file`, which begins at byte `begin` now. At `end` a stream is to begin, UINT64_MAX:
  /// none; there the bytes end, or go on.
  DecodedBytes(InputFile& file, Compression compression, std::uint64_t begin, std::uint64_t end,
               bool ends_there)
      : name_(file.name()),
        input_(file, {}),
        compression_(compression),
        decoder_(decoder_of(compression)),
        begin_(begin),
        end_(end == UINT64_MAX ? end : end - begin),
        ends_there_(ends_there) {}

  std::size_t read(std::span<char> room) override {
    try {
      return decode(room);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorKind::io, name_ + ": no memory to decompress " + decoder_->format());
    }
  }

  std::uint64_t consumed() const noexcept override { return input_.consumed(); }
  std::optional<std::uint64_t> stream_start() const noexcept override { return stream_start_; }

  /// The decoded bytes before the stream at `end`, once it has begun.
  const std::optional<std::uint64_t>& decoded_end() const noexcept { return decoded_end_; }

 private:
  std::size_t decode(std::span<char> room) {
    while (true) {
      // Bytes that the decoder holds come first: a pipe may have nothing more for now.
      const bool holds_more = std::exchange(filled_room_, false);
      const std::span<const char> pending = holds_more ? input_.buffered() : input_.pending();
      if (!inside_ && !begin_stream(pending)) {
        if (!pending.empty() && !is_at_end()) continue;
        if (end_ != UINT64_MAX && !decoded_end_) fail_uncut();
        return 0;
      }
      if (damage_ != nullptr) fail_damaged(damage_);
      const DecodeStep step = decoder_->decode(pending, room);
      input_.consume(step.taken);
      if (step.damage != nullptr && step.made == 0) fail_damaged(step.damage);
      damage_ = step.damage;
      if (step.memory_needed != 0) fail_too_large(step.memory_needed);
      inside_ = !step.ended;
      filled_room_ = inside_ && step.made == room.size();
      made_ += step.made;
      if (step.made != 0) return step.made;
      if (inside_ && pending.empty() && !holds_more) {
        throw Error(ErrorKind::bad_input, data() + " is cut short");
      }
    }
  }

  bool is_at_end() const noexcept { return ends_there_ && decoded_end_.has_value(); }

  /// False at the end, and after skipping padding.
  bool begin_stream(std::span<const char> pending) {
    if (any_stream_ && decoder_->padding_unit() != 0) {
      const auto zeros = static_cast<std::size_t>(
          std::ranges::find_if(pending, [](char c) { return c != 0; }) - pending.begin());
      input_.consume(zeros);
      padding_ += zeros;
      if (zeros != 0) return false;
      if (padding_ % decoder_->padding_unit() != 0) fail_damaged("padding of an odd size");
    }
    if (pending.empty()) return false;
    if (input_.position() >= end_ && !decoded_end_) {
      if (input_.position() != end_) fail_uncut();
      decoded_end_ = made_;
    }
    if (is_at_end()) return false;
    if (any_stream_ && !may_begin(compression_, pending)) fail_followed();
    decoder_->begin_stream();
    stream_start_ = made_;
    padding_ = 0;
    any_stream_ = true;
    inside_ = true;
    return true;
  }

  [[noreturn]] void fail_followed() const {
    const std::string end = std::to_string(begin_ + input_.position());
    throw Error(ErrorKind::bad_input, data() + " is whole and ends at byte " + end +
                                          ", but something else follows; cut it off, for example "
                                          "head -c " +
                                          end + " FILE");
  }

  [[noreturn]] void fail_uncut() const {
    throw Error(ErrorKind::usage, data() +
                                      " cannot be split as planned: something in it looks like "
                                      "the beginning of a stream; use one part");
  }

  std::string data() const { return name_ + ": the " + decoder_->format() + " data"; }

  [[noreturn]] void fail_too_large(std::uint64_t bytes) const {
    throw Error(ErrorKind::io,
                data() + " needs " + std::to_string(bytes >> 20) +
                    " MiB of memory to be decompressed, which is over the limit of 257 MiB; "
                    "decompress it first, and pass the keys through a pipe");
  }

  [[noreturn]] void fail_damaged(const char* damage) const {
    throw Error(ErrorKind::bad_input, data() + " is damaged near byte " +
                                          std::to_string(begin_ + input_.position()) + " (" +
                                          damage + ")");
  }

  std::string name_;
  CompressedInput input_;
  Compression compression_;
  std::unique_ptr<Decoder> decoder_;
  bool any_stream_ = false;
  bool inside_ = false;           ///< a stream
  bool filled_room_ = false;      ///< at the last call: the decoder may hold more
  const char* damage_ = nullptr;  ///< behind what was read last
  std::uint64_t padding_ = 0;
  std::uint64_t made_ = 0;
  std::optional<std::uint64_t> stream_start_;
  std::uint64_t begin_ = 0;         ///< of the input, in the file
  std::uint64_t end_ = UINT64_MAX;  ///< in the input
  bool ends_there_ = true;
  std::optional<std::uint64_t> decoded_end_;
};

/// Those units of decoded streams that open_streams() gives.
class CutBytes final : public InputBytes {
 public:
  CutBytes(std::unique_ptr<DecodedBytes> source, char delimiter, bool skips_first)
      : source_(std::move(source)), delimiter_(delimiter), skips_(skips_first) {}

  std::size_t read(std::span<char> room) override {
    std::size_t kept = 0;
    while (kept == 0 && !ended_) {
      const std::size_t got = source_->read(room);
      ended_ = got == 0;
      kept = keep_units(room.first(got));
      decoded_ += got;
    }
    return kept;
  }
  std::uint64_t consumed() const noexcept override { return source_->consumed(); }

 private:
  /// Moves those of the next bytes that belong to units of the range to their front.
  std::size_t keep_units(std::span<char> bytes) {
    std::size_t first = 0;
    if (skips_) {
      first = delimiter_from(bytes, 0);
      if (first == bytes.size()) {  // it ends behind the range, if it does
        ended_ = ended_ || is_behind(decoded_ + bytes.size());
        return 0;
      }
      ended_ = is_behind(decoded_ + first);
      skips_ = false;
      ++first;
      if (ended_) return 0;
    }
    std::size_t last = bytes.size();
    if (const auto& end = source_->decoded_end()) {
      const std::uint64_t inside = *end - std::min(*end, decoded_);
      const std::size_t at = delimiter_from(bytes, std::max<std::uint64_t>(first, inside));
      ended_ = ended_ || at != bytes.size();
      last = std::min(at + 1, bytes.size());
    }
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first),
              bytes.begin() + static_cast<std::ptrdiff_t>(last), bytes.begin());
    return last - first;
  }
  std::size_t delimiter_from(std::span<const char> bytes, std::uint64_t from) const noexcept {
    if (from >= bytes.size()) return bytes.size();
    const auto at =
        std::find(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), delimiter_);
    return static_cast<std::size_t>(at - bytes.begin());
  }
  bool is_behind(std::uint64_t decoded) const noexcept {
    return decoded >= source_->decoded_end().value_or(UINT64_MAX);
  }

  std::unique_ptr<DecodedBytes> source_;
  char delimiter_;
  bool skips_;  ///< the unit that begins before the range, up to its delimiter
  bool ended_ = false;
  std::uint64_t decoded_ = 0;  ///< bytes that were read before
};

/// Reads bytes to `seen` until they tell how the file is compressed.
Compression read_magic(InputFile& file, std::vector<char>& seen) {
  std::array<char, kMaxMagicBytes> room{};
  while (true) {
    const std::size_t got = file.read(std::span(room).subspan(seen.size()));
    seen.insert(seen.end(), room.data() + seen.size(), room.data() + seen.size() + got);
    if (const auto compression = detect_compression(seen, got == 0)) return *compression;
  }
}

std::unique_ptr<DecodedBytes> decoded_range(InputFile& file, Compression compression,
                                            std::uint64_t begin, std::uint64_t end,
                                            bool ends_there) {
  file.start_at(begin);
  try {
    return std::make_unique<DecodedBytes>(file, compression, begin, end, ends_there);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::io, file.name() + ": no memory to decompress it");
  }
}

}  // namespace

Compression compression_of(const InputFile& file) {
  std::array<char, kMaxMagicBytes> head{};
  const std::size_t size = file.read_at(0, head);
  return detect_compression(std::span(head).first(size), true).value_or(Compression::none);
}

std::unique_ptr<InputBytes> open_range(InputFile& file, std::uint64_t begin, std::uint64_t end) {
  return decoded_range(file, compression_of(file), begin, end, true);
}

OpenedBytes open_streams(InputFile& file, char delimiter, std::uint64_t begin, std::uint64_t end) {
  const Compression compression = compression_of(file);
  return {std::make_unique<CutBytes>(decoded_range(file, compression, begin, end, false), delimiter,
                                     begin != 0),
          compression};
}

OpenedBytes open_bytes(InputFile& file) {
  std::vector<char> seen;
  const Compression compression = read_magic(file, seen);
  if (!is_read(compression)) refuse_compression(file.name(), compression);
  if (compression == Compression::none) {
    return {std::make_unique<PlainBytes>(file, seen), compression};
  }
  try {
    return {std::make_unique<DecodedBytes>(file, seen, compression), compression};
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::io, file.name() + ": no memory to decompress it");
  }
}

}  // namespace crivo::input
