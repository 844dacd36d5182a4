// SPDX-License-Identifier: Apache-2.0
/// Finding delimiters with AVX-512.
#pragma once

#include "input/delimiter_scan.hpp"

namespace crivo::input {

/// A DelimiterScan::Find for processors with base::Cpu::avx512 and VBMI2; only where the target is
/// x86-64.
std::size_t find_delimiters_avx512(std::string_view bytes, char delimiter, std::size_t& at,
                                   DelimiterScan::Ends& ends) noexcept;

}  // namespace crivo::input
