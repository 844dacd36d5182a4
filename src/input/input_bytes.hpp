// SPDX-License-Identifier: Apache-2.0
/// The bytes of one input: a file, a pipe, or what was compressed into either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "input/compression.hpp"
#include "input/input_file.hpp"

namespace crivo::input {

/// A sequence of decoded bytes, read once from front to back.
class InputBytes {
 public:
  virtual ~InputBytes() = default;
  /// Reads some of the next bytes into `room` (not empty): 0 only at the end. Throws Error(io) if
  /// the system fails, Error(bad_input) if compressed data is damaged or cut short.
  virtual std::size_t read(std::span<char> room) = 0;
  /// The bytes taken from the file so far (compressed ones for a compressed file).
  virtual std::uint64_t consumed() const noexcept = 0;
  /// Where the last stream of a compressed file begins, among what was read: that of the bytes read
  /// last. Nothing for other files, and before the first.
  virtual std::optional<std::uint64_t> stream_start() const noexcept { return std::nullopt; }
};

/// Opens the decoded bytes of `file`, which must outlive them. Reads no more of its first
/// bytes than it takes to see how they are compressed, which `compression` is; so whoever feeds a
/// pipe line by line is never waited for after a whole line. Throws Error(bad_input) if they are
/// compressed in a way that is not read.
struct OpenedBytes {
  std::unique_ptr<InputBytes> bytes;
  Compression compression;
};
OpenedBytes open_bytes(InputFile& file);

/// How a regular file is compressed. Throws Error(io).
Compression compression_of(const InputFile& file);

/// Opens what a compressed regular file's streams decode to from `begin` to before `end`
/// (UINT64_MAX: all the rest), both begins of streams, or the file's. Where no stream begins at
/// `end` after all, reading throws Error(usage). From here on `file` begins at `begin`.
std::unique_ptr<InputBytes> open_range(InputFile& file, std::uint64_t begin, std::uint64_t end);

/// Opens those of a compressed regular file's units that a range of its bytes has, from `begin` to
/// before `end` (UINT64_MAX: all the rest), both begins of streams: the units whose first byte
/// comes behind the first that the range is decoded to, up to and with the first one behind it
/// (of a file's beginning, also the first). So ranges beside each other have each unit once,
/// wherever the streams are cut. Where no stream begins at `end` after all, reading throws
/// Error(usage).
OpenedBytes open_streams(InputFile& file, char delimiter, std::uint64_t begin, std::uint64_t end);

}  // namespace crivo::input
