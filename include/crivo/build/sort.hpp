// SPDX-License-Identifier: Apache-2.0
/// Keys in byte order, of any number, within a budget of memory; and lines, or paragraphs, that
/// were not seen before.
///
///     crivo::sort_keys({.paths = {"keys.txt"}}, "sorted.txt", {.unique = true});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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

/// The rate of a filter that dedup() makes where none is asked for.
inline constexpr double kDedupFpr = 1e-6;

struct DedupOptions {
  /// The filter of what was seen, of type `cuckoo`: made by the first call, and replaced at once by
  /// each that succeeds. Empty with `exact`.
  std::filesystem::path seen{};
  /// The room of a filter that is made: for so many texts in all. Of one that is there: 0, or what
  /// it was made with.
  std::uint64_t capacity = 0;
  /// Likewise the highest rate at which a new text is taken for one that was seen; kDedupFpr.
  std::optional<double> fpr{};
  /// Where the filter is full, add a layer as large as all before it, with half the rate of the
  /// last: all layers together err less than twice as often as the first.
  bool grow = false;
  /// Texts are paragraphs: runs of lines between empty ones. Otherwise lines.
  bool paragraphs = false;
  /// Take texts of this part alone, from 0, of `parts` parts by their hash; all others are left
  /// out, and not added. Each part has a filter of its own, and can be done by itself.
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
  /// No filter: keep the first of equal texts of this input, without error, by sorting all.
  bool exact = false;
  bool replace = false;  ///< replace an existing output, at once and whole
  Resources resources{};
};

struct DedupSummary {
  std::uint64_t texts = 0;        ///< that were read
  std::uint64_t kept = 0;         ///< that were written
  std::uint64_t other_parts = 0;  ///< that are of other parts
  std::uint64_t bytes = 0;        ///< written
  // The filter, as it is now:
  std::uint64_t seen = 0;      ///< its keys
  std::uint64_t capacity = 0;  ///< of all its layers
  std::uint64_t layers = 0;
  double fpr = 0;  ///< at which it takes a new text for one that was seen
  unsigned threads = 0;
  std::uint64_t temp_bytes = 0;  ///< temporary disk used
  double seconds = 0;
  std::vector<Warning> warnings;
};

/// Writes each text of the files `paths` ("-" is standard input; compressed ones are
/// decompressed) that was not seen before, in their order, and adds it to the filter: lines, a line
/// feed behind each; or paragraphs, an empty line behind each. A text is at most kMaxRecordBytes
/// long, with `exact` less than kMaxKeyBytes. What is written depends on the texts, the filter
/// and the options alone: not on threads or memory.
///
/// A new text is dropped with at most the filter's rate, DedupSummary::fpr at the end; one that was
/// seen always. The output is complete before the filter takes the old one's place, and a call that
/// fails leaves that as it was. An output appears whole or not at all; but with `grow`, a function
/// gets its bytes as they come. The filter is in memory: about 3 bytes a text at a rate of 1e-6.
///
/// Throws Error: usage (also: options that the filter was not made with), bad_input (names file
/// and line; or the filter is full: says for how many texts there must be room), io (also: the
/// filter takes more memory than there is), corrupt, cancelled.
CRIVO_API DedupSummary dedup(const std::vector<std::string>& paths, const Output& output,
                             const DedupOptions& options);

}  // namespace crivo
