// SPDX-License-Identifier: Apache-2.0
/// The limits of a record store. See formats/store.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/error.hpp"
#include "crivo/key.hpp"

namespace crivo::records {

/// Throws Error(bad_input) that names the limit if a record of so many bytes is over it.
inline void check_record_size(std::uint64_t bytes) {
  if (bytes > kMaxRecordBytes) {
    throw Error(ErrorKind::bad_input, "a record of " + std::to_string(bytes) +
                                          " bytes is over the limit of 64 MiB (67108864 bytes)");
  }
}

/// Throws Error(bad_input) that names the limit if the key or the record is over its own.
inline void check_limits(std::string_view key, std::string_view record) {
  if (key.size() > kMaxKeyBytes) {
    throw Error(ErrorKind::bad_input, "a key of " + std::to_string(key.size()) +
                                          " bytes is over the limit of 1 MiB (1048576 bytes)");
  }
  check_record_size(record.size());
}

}  // namespace crivo::records
