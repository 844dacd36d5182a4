// SPDX-License-Identifier: Apache-2.0
/// What a record store holds at most. See formats/store.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/key.hpp"

namespace crivo::records {

/// Throws Error(bad_input) that names the limit if the key or the record is over it.
void check_limits(std::string_view key, std::string_view record);
/// The same of a record of so many bytes.
void check_record_size(std::uint64_t bytes);

}  // namespace crivo::records
