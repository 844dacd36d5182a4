// SPDX-License-Identifier: Apache-2.0
/// The names that messages give inputs and places in them.
#pragma once

#include <cstdint>
#include <string>

#include "crivo/error.hpp"
#include "input/chunk.hpp"
#include "input/chunk_reader.hpp"
#include "input/sources.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// Thrown by the threads that read input. Several may meet a fault at once; the pipeline reports
/// the first in the order of the input, with its line.
class InputFault : public Error {
 public:
  InputFault(const Place& place, const std::string& problem, const std::string& remedy = {})
      : Error(ErrorKind::bad_input, problem, {.remedy = remedy}), place_(place) {}

  const Place& place() const noexcept { return place_; }
  const std::string& remedy() const noexcept { return Error::place().remedy; }

 private:
  Place place_;
};

/// The number of units that begin in the first `offset` decoded bytes of a file: a line number for
/// a message. Reads the file from its start, so only an input that can be read again is asked.
std::uint64_t count_units_before(const std::string& path, const UnitFraming& framing,
                                 std::uint64_t offset);

/// The decoded bytes of a compressed file before the first unit that open_streams() gives of a
/// range that begins at `begin`. Reads the file from its start.
std::uint64_t decoded_before(const std::string& path, char delimiter, std::uint64_t begin);

/// Returns the name of the source with index `file` in messages.
std::string input_name(const Sources& sources, std::size_t file);

/// Returns the name of the unit with index `line` in messages: "line 3" for the third of a file,
/// "key 3" where units are not lines, and "[2]", as the program indexes them, of keys that it has
/// in memory.
std::string unit_name(const UnitFraming& framing, std::uint64_t line);

/// Returns the name of a place whose line is known in messages: "FILE:3", as editors and compilers
/// count, "FILE: key 3" where units are not lines, and "<keys>[2]".
std::string place_name(const Sources& sources, const UnitFraming& framing, const Place& place);

/// Throws Error(bad_input): "FILE:LINE: problem", or "FILE: key NUMBER: problem". The unit is
/// counted by reading the file again where `place` does not know its line. `remedy`: as of an
/// ErrorPlace.
[[noreturn]] void fail_at_place(const Sources& sources, const UnitFraming& framing,
                                const Place& place, const std::string& problem,
                                const std::string& remedy = {});

/// Returns the place of an error, whose line is known.
ErrorPlace error_place(const Sources& sources, const Place& place);

}  // namespace crivo::input
