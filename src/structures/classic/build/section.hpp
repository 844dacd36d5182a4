// SPDX-License-Identifier: Apache-2.0
/// Writing what structures/classic/section.hpp reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/sink.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {

void write(const SectionHeader& header, base::Sink& sink);

/// Throws Error(usage) if there are more keys than kMaxKeys.
void check_keys(std::uint64_t keys);

/// Throws Error(bad_input): no function was found in so many attempts.
[[noreturn]] void fail_attempts(std::string_view what, std::uint64_t keys, std::uint64_t attempts);

/// Appends entries of 4 bytes.
void write_entries(std::span<const std::uint32_t> entries, base::Sink& sink);

}  // namespace crivo::classic
