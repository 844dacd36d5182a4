// SPDX-License-Identifier: Apache-2.0
/// The decompressors, all behind one interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace crivo::input {

/// The result of one call of Decoder::decode().
struct DecodeStep {
  std::size_t taken = 0;            ///< bytes of the input
  std::size_t made = 0;             ///< bytes of the output
  bool ended = false;               ///< the stream ended, with all of its checksums right
  const char* damage = nullptr;     ///< why the input is not a sound stream, if it is not
  std::uint64_t memory_needed = 0;  ///< bytes, where the stream needs more than a decoder may take
};

/// Decodes streams: a gzip member, a zstd frame, an xz or bzip2 stream. A file holds one or more,
/// one after another. Everything throws std::bad_alloc where there is no memory.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual const char* format() const noexcept = 0;
  /// Before each stream.
  virtual void begin_stream() = 0;
  /// Decodes some of `input` into `output` (not empty). With an empty input it gives what it still
  /// holds; if that is nothing, and the stream has not ended, it makes nothing.
  virtual DecodeStep decode(std::span<const char> input, std::span<char> output) = 0;
  /// Zero bytes may follow a stream in multiples of so many; 0: none may.
  virtual std::size_t padding_unit() const noexcept { return 0; }
};

std::unique_ptr<Decoder> gzip_decoder();
/// Decodes what web servers call deflate: no file is one.
std::unique_ptr<Decoder> zlib_decoder();
std::unique_ptr<Decoder> zstd_decoder();
std::unique_ptr<Decoder> xz_decoder();
std::unique_ptr<Decoder> bzip2_decoder();

/// The state of a stream after a step of its library.
struct StreamStatus {
  bool ended = false;               ///< as DecodeStep has it
  const char* damage = nullptr;     ///< likewise
  std::uint64_t memory_needed = 0;  ///< likewise
};

/// `Codec` is what differs:
///
///     Stream                          with next_in, avail_in, next_out and avail_out; zeros at
///     first kFormat, kPaddingUnit           as the Decoder tells them void begin(Stream&) before
///     each stream, the first or one after another StreamStatus run(Stream&)       decodes what
///     stands at next_in, as far as next_out has room void end(Stream&) noexcept      gives
///     everything back, also of a stream that was never begun
///
/// begin() and run() throw std::bad_alloc.
template <typename Codec>
class StreamDecoder final : public Decoder {
 public:
  StreamDecoder() = default;
  ~StreamDecoder() override { Codec::end(stream_); }
  StreamDecoder(const StreamDecoder&) = delete;
  StreamDecoder& operator=(const StreamDecoder&) = delete;

  const char* format() const noexcept override { return Codec::kFormat; }
  std::size_t padding_unit() const noexcept override { return Codec::kPaddingUnit; }
  void begin_stream() override { Codec::begin(stream_); }

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    using Input = decltype(stream_.next_in);
    using Output = decltype(stream_.next_out);
    const auto offered = countable(input.size());
    const auto wanted = countable(output.size());
    stream_.next_in = reinterpret_cast<Input>(const_cast<char*>(input.data()));  // only read
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Output>(output.data());
    stream_.avail_out = wanted;
    const StreamStatus status = Codec::run(stream_);
    return {offered - stream_.avail_in, wanted - stream_.avail_out, status.ended, status.damage,
            status.memory_needed};
  }

 private:
  typename Codec::Stream stream_{};

  using Count = decltype(stream_.avail_in);
  /// As many of `bytes` as the library can count.
  static Count countable(std::size_t bytes) noexcept {
    return static_cast<Count>(std::min<std::size_t>(bytes, std::numeric_limits<Count>::max()));
  }
};

}  // namespace crivo::input
