// SPDX-License-Identifier: Apache-2.0
/// Looks up values in a coded section.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/csf/code_ribbon.hpp"
#include "structures/csf/prefix_code.hpp"
#include "structures/csf/section.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::csf {

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Function {
 public:
  /// Throws Error(corrupt) if the section is unsound. O(levels * partitions): one for about 2^17
  /// bits of a ribbon.
  /// `forget`, if there is one, is called after some of them: of those of a plain level it reads a
  /// page each. If the bytes have checks, it touches what is read, then and by lookups.
  explicit Function(const base::CheckedBytes& section, const std::function<void()>& forget = {});

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return header_.n; }
  /// The bits of the largest value, 0 to 64.
  unsigned width() const noexcept { return header_.width; }
  /// The empirical entropy of the values, in bits a key: that of a random key's value, or of one
  /// in a sample if more than kMaxSymbols values differ.
  double entropy() const noexcept { return static_cast<double>(header_.entropy) * 0x1p-32; }

  /// The key's value; for a key that was not built in, any value below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept;
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;

 private:
  /// Codewords, and what they stand for.
  struct Code {
    CodeRibbon ribbon;
    Decoder decoder;
  };

  /// A level, with what it has of these.
  struct Level {
    LevelEntry entry;
    std::optional<LevelFilter> filter;
    std::optional<Code> code;  // neither plain nor of a single codeword
    const std::byte* symbols = nullptr;
  };

  /// The rest of a batch to look up: the keys, and where their values belong.
  struct Batch;

  void open_level(base::FieldReader& fields, const LevelEntry& entry);
  void open_partitions(base::FieldReader& bodies, base::FieldReader& table,
                       const PartitionLayout& layout, const std::function<void()>& forget);
  std::uint64_t symbol(const Level& level, std::uint32_t codeword) const noexcept;
  void pass_filter(const LevelFilter& filter, std::uint64_t dominant, Batch& batch,
                   std::uint64_t* values) const noexcept;
  void decode(const Level& level, const Code& code, Batch& batch,
              std::uint64_t* values) const noexcept;

  Header header_;
  base::Pages pages_;
  std::uint64_t mask_;  // of values
  std::vector<Level> levels_;
  std::vector<ribbon::Table> plain_;  ///< of each partition, if the last level is plain
};

}  // namespace crivo::csf
