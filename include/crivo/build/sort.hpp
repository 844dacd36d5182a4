// SPDX-License-Identifier: Apache-2.0
/// Keys in byte order, of any number, within a budget of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct SortOptions {
  bool unique = false;  ///< write equal keys once
  /// Write each distinct key once, with a TAB and how often it is there. Not for fixed widths.
  bool count = false;
  /// End each key with NUL in the place of LF: for keys that hold line feeds. Not for fixed widths.
  bool null_output = false;
  bool hex = false;  ///< write each key in hexadecimal digits, two a byte
  /// Write PISA's payload vector in the place of lines: how many keys there are, n + 1 offsets, of
  /// the keys and the end of the last, each in 8 bytes, the lowest first, and the keys. Not with
  /// `count` or `null_output`, nor for fixed widths.
  bool payload_vector = false;
  bool numbers = false;  ///< every key has 8 bytes: they are sorted in less time and memory
  bool replace = false;  ///< replace an existing output, at once and whole
  Resources resources{};
};

struct SortSummary {
  std::uint64_t keys = 0;     ///< read
  std::uint64_t written = 0;  ///< distinct ones, where equal keys are written once
  std::uint64_t bytes = 0;    ///< of the output
  unsigned threads = 0;
  std::uint64_t temp_bytes = 0;  ///< temporary disk used
  double seconds = 0;
  std::vector<Warning>
      warnings;  ///< of the input, and what went wrong after the output got its name
};

/// Writes the keys of `input` in byte order (bytes are unsigned, and a key is before those that it
/// begins), a line each, or one behind the other where they are of fixed width. The output depends
/// on the keys and the options alone: not on their order, the threads or the memory. It appears
/// whole or not at all, as that of a build. About the bytes of all keys and one more for each are
/// in memory, as far as Resources::memory allows; more are kept in temp_dir. Throws Error: usage,
/// bad_input (names file and line; a key that holds the byte that ends it), io, cancelled.
CRIVO_API SortSummary sort_keys(const KeyInput& input, const Output& output,
                                const SortOptions& options = {});

/// Writes the keys of `input` in its order, each as often as it is there, and otherwise as
/// sort_keys() does. O(1) memory.
CRIVO_API SortSummary copy_keys(const KeyInput& input, const Output& output,
                                const SortOptions& options = {});

}  // namespace crivo
