// SPDX-License-Identifier: Apache-2.0
/// How far a build that can be continued has read its input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "stream/key_stream.hpp"
#include "stream/run_log.hpp"

namespace crivo::input {

/// By what a file is known again that was read in part.
struct InputStamp {
  std::string name;  ///< as it was given
  std::uint64_t size = 0;
  std::int64_t changed = 0;  ///< nanoseconds since 1970, of its contents

  friend bool operator==(const InputStamp&, const InputStamp&) = default;
};

/// Returns the stamp of a file as it stands there ("-" is standard input); nothing for one that is
/// no regular file, or is not there, of which errno says why.
std::optional<InputStamp> stamp_of(const std::string& path);

/// Whose build it is, and what all parts of the input but the last ones came to.
struct BuildJournal {
  // What a later run must have in common with this one.
  std::string choices;  ///< what decides about the bytes of the output
  std::vector<InputStamp> inputs;

  // What a later run takes over.
  std::uint64_t seed = 0;           ///< of the hashes
  std::uint32_t element_bytes = 0;  ///< of the stream
  std::uint64_t part_bytes = 0;     ///< cut_input()
  std::uint64_t parts = 0;          ///< so many were read
  stream::LoggedStream logged;
  std::vector<std::vector<std::uint64_t>> units;  ///< ChunkNumbers::noted(), or none
  std::vector<std::uint8_t> signs;                ///< TextSigns::seen()
  std::optional<stream::LoggedRuns> records;      ///< of a RecordTaker, if there is one
};

/// The file of it: "CRIVOJNL"; the fields, little-endian, in their order above, texts and lists
/// after their lengths (64 bits; a partition's extents as offset and bytes, then its check; of the
/// records the number of pieces or 0, and if there are any the other fields); and the
/// hash_key() of all that under seed 0.
base::Bytes encode(const BuildJournal& journal);
/// Throws Error(corrupt) that begins with `name` where the bytes are none such, or not sound: each
/// extent is whole elements within the log, each list of chunks in that of records, and lists are
/// as long as there are inputs.
BuildJournal decode_journal(base::ByteView bytes, std::string_view name);

}  // namespace crivo::input
