// SPDX-License-Identifier: Apache-2.0
/// The records that stores are measured over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crivo::bench {

using KeyAndRecord = std::pair<std::string_view, std::string_view>;

/// The pairs of a file of key NUL record NUL, in memory.
struct RecordSet {
  std::string path;
  std::string bytes;
  std::vector<KeyAndRecord> pairs;
  std::uint64_t pair_bytes = 0;

  /// Throws std::runtime_error if the file cannot be read or is cut off.
  explicit RecordSet(const std::string& path);

  /// The pairs in the order of their keys' bytes.
  std::vector<KeyAndRecord> sorted() const;
};

/// Keys in random order, their texts laid out one after the other in that order, so that a lookup's
/// own misses are what is measured.
class KeyList {
 public:
  /// Up to `most` of the set's; `absent`: with two bytes changed, so that they are not in it.
  KeyList(const RecordSet& set, std::size_t most, bool absent);
  const std::vector<std::string_view>& keys() const noexcept { return keys_; }

 private:
  std::string text_;
  std::vector<std::string_view> keys_;
};

}  // namespace crivo::bench
