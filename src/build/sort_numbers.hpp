// SPDX-License-Identifier: Apache-2.0
/// Keys of 8 bytes in byte order.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/progress.hpp"
#include "build/key_text.hpp"
#include "build/sorted_file.hpp"

namespace crivo::index {

struct NumbersWritten {
  std::uint64_t keys = 0;     ///< read
  std::uint64_t written = 0;  ///< distinct ones, where equal keys are written once
  std::uint64_t temp_bytes = 0;
};

/// Reads the keys of `input` on this thread, and writes them in order to `file`, as `text` says:
/// what sort_keys() does for keys of any size, by a radix sort. Throws Error: bad_input (a key of
/// another size), io, cancelled.
NumbersWritten sort_numbers(const KeyInput& input, const KeyText& text, SortedFile& file,
                            std::uint64_t memory_bytes, const std::filesystem::path& temp_dir,
                            const base::BuildContext& context);

}  // namespace crivo::index
