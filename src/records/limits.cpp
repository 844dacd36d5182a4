// SPDX-License-Identifier: Apache-2.0
#include "records/limits.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::records {

void check_limits(std::string_view key, std::string_view record) {
  if (key.size() > kMaxKeyBytes) {
    throw Error(ErrorKind::bad_input, "a key of " + std::to_string(key.size()) +
                                          " bytes is over the limit of 1 MiB (1048576 bytes)");
  }
  check_record_size(record.size());
}

void check_record_size(std::uint64_t bytes) {
  if (bytes > kMaxRecordBytes) {
    throw Error(ErrorKind::bad_input, "a record of " + std::to_string(bytes) +
                                          " bytes is over the limit of 64 MiB (67108864 bytes)");
  }
}

}  // namespace crivo::records
