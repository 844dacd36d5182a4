// SPDX-License-Identifier: Apache-2.0
/// Bytes as a key file: the first byte chooses the format, the second the width of fixed keys. It
/// is refused as bad input, or gives the same keys in order, in blocks, and as soon as they come.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

#include "fuzz/fuzz_input.hpp"
#include "input/compression.hpp"
#include "input/units.hpp"

namespace {

using namespace crivo;

constexpr std::uint64_t kEnough = std::uint64_t{4} << 20;  // of what a small packed file expands to

struct Outcome {
  std::string units;  ///< each after its length
  bool refused = false;
  bool cut = false;

  void add(std::string_view unit) {
    units += std::to_string(unit.size());
    units += ' ';
    units += unit;
  }
};

Outcome read_all(const std::string& path, const KeyFormat& format, bool records,
                 input::ChunkOptions options) {
  Outcome outcome;
  try {
    const auto framing =
        records ? input::UnitFraming::of_records(format) : input::UnitFraming::of_keys(format);
    input::ChunkReader reader({path}, framing, options);
    input::Chunk chunk;
    std::uint64_t expected = 0;
    while (reader.next(chunk)) {
      const bool skips = format.quotes || !format.json_key.empty();  // blank lines, which count
      if (skips ? chunk.ordinal < expected : chunk.ordinal != expected) {
        if (chunk.ordinal != input::kUnknownLine) std::abort();
      }
      if (records) {
        input::for_each_record(
            chunk, format,
            [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
              outcome.add(key);
              outcome.add(record);
              ++expected;
            });
      } else {
        input::for_each_key(chunk, format, [&](std::string_view key, std::uint64_t, std::size_t) {
          outcome.add(key);
          ++expected;
        });
      }
      if (outcome.units.size() > kEnough) {
        outcome.cut = true;
        break;
      }
    }
  } catch (const Error& error) {
    // io: a packed file that needs more memory than a decoder may take.
    if (error.kind() != ErrorKind::bad_input && error.kind() != ErrorKind::usage &&
        error.kind() != ErrorKind::io) {
      std::abort();
    }
    outcome.refused = true;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file;
  if (size < 2) return 0;
  KeyFormat format;
  format.framing = static_cast<KeyFormat::Framing>(data[0] % 3);
  format.strip_cr = (data[0] & 4) != 0;
  format.allow_empty = (data[0] & 8) != 0;
  format.width = data[1];
  const bool records = (data[0] & 16) != 0;
  if ((data[0] & 32) != 0) {
    format.key_column = 1 + data[1] % 3;
    format.value_column = data[1] / 3 % 4;
    format.column_delimiter = ',';
    format.quotes = data[1] % 2 != 0;
    if (data[1] >= 128) format.key_name = "k";
    if (data[1] >= 192) {
      format = {.allow_empty = format.allow_empty};
      format.json_key = "k";
      if (data[1] % 2 != 0) format.json_value = "v";
    }
  }
  format.skip_header = (data[0] & 64) != 0;
  format.hex = (data[0] & 128) != 0;
  file.fill(data + 2, size - 2);

  // Whatever they are, the first few bytes tell how they are compressed.
  const std::span<const char> head(reinterpret_cast<const char*>(data) + 2,
                                   std::min(size - 2, input::kMaxMagicBytes));
  const auto compression = input::detect_compression(head, true);
  if (!compression) std::abort();
  if (head.size() == input::kMaxMagicBytes &&
      input::detect_compression(head, false) != compression) {
    std::abort();
  }

  const Outcome blocks = read_all(file.path(), format, records, {});
  const Outcome ordered = read_all(file.path(), format, records, {.in_order = true});
  const Outcome eager = read_all(file.path(), format, records, {.in_order = true, .eager = true});
  if (!input::is_read(*compression) && !blocks.refused) std::abort();
  for (const Outcome* other : {&ordered, &eager}) {
    if (blocks.cut || other->cut) continue;
    if (other->refused != blocks.refused) std::abort();
    if (!blocks.refused && other->units != blocks.units) std::abort();
  }
  return 0;
}
