// SPDX-License-Identifier: Apache-2.0
/// Parts of dictionaries: a shard's keys in order, of which the merge builds (formats/parts.md,
/// "Parts of dictionaries").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "shards/part_set.hpp"

namespace crivo::index {

/// Writes keys in order, each without what it shares with the one before.
class KeyListWriter {
 public:
  KeyListWriter(base::Sink& sink, bool values) noexcept : sink_(sink), values_(values) {}

  /// A key above last(), of at most dictionary::kMostKeyBytes.
  void add(std::string_view key, std::uint64_t value);
  std::uint64_t keys() const noexcept { return keys_; }
  std::string_view last() const noexcept { return last_; }
  /// Writes the rest; returns the bytes of all.
  std::uint64_t finish();

 private:
  base::Sink& sink_;
  bool values_;
  base::Bytes pending_;
  std::string last_;
  std::uint64_t keys_ = 0;
  std::uint64_t bytes_ = 0;
};

/// merge_parts() of such parts, once they are verified. Throws Error(corrupt) that names a part
/// whose keys are not in order, or are not those of the header.
BuildSummary merge_dictionary(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                              BuiltFile& file);

}  // namespace crivo::index
