// SPDX-License-Identifier: Apache-2.0
/// The header of a WARC record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collections/record_bytes.hpp"

namespace crivo::extract {

/// What is read of it: of each field its last value, without white space around it.
struct WarcHeader {
  std::string type;  ///< in lower case
  std::string target_uri;
  std::string content_length;
  std::string content_type;
  std::string record_id;  ///< as it stands, with < and >
  std::string trec_id;    ///< of ClueWeb
  std::string problem;    ///< what is wrong with its lines, or empty
  bool ends = false;      ///< with an empty line, or at the end of the file

  /// The bytes of the content; nothing if the field is no number.
  std::optional<std::uint64_t> length() const noexcept;
};

/// Whether a record begins at the window: "WARC/" and a digit.
bool at_warc_record(RecordBytes& bytes);
/// Reads the header at the window, and moves on to behind its empty line. One of more than 4 MiB
/// does not end.
WarcHeader read_warc_header(RecordBytes& bytes);

}  // namespace crivo::extract
