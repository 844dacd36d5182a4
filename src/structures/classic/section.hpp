// SPDX-License-Identifier: Apache-2.0
/// The first fields of the sections of the seeds' functions (formats/seeds.md), and what follows:
///
///     section   header 32 | what the function looks values up in, of m entries:
///     mwhc      a number a vertex; those of a key's edge are its rank (or the map's value), by xor
///     fch       a displacement a bucket, by which its keys' pattern is turned
///     bmz       a number a vertex; a key's two add up to its rank
///     bdz       two bits a vertex, which choose one of a key's three | ranks of those chosen
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "structures/classic/range.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Edges, three vertices of each counted, are numbered in 32 bits while the graph is built.
inline constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 30;

struct SectionHeader {
  std::uint64_t keys = 0;
  std::uint64_t entries = 0;       ///< of the table of values: vertices or buckets
  std::uint32_t salt = 0;          ///< of the functions that were found
  std::uint32_t pattern_salt = 0;  ///< FCH: that of h20
  Range range = Range::modulo;
  std::uint8_t arity = 0;  ///< vertices of an edge; 0 where there is no graph
  std::uint8_t width = 0;  ///< bits of an entry of a static function; 0 in MPHFs

  /// Returns the rows about a function: its entries, called `entry_name`; how many functions were
  /// tried until those that it has; whether their range is the unbiased one.
  std::vector<Parameter> parameters(std::string entry_name) const;

  /// Throws Error(corrupt) unless the range is known, the keys are at most kMaxKeys and the entries
  /// below 2^32.
  static SectionHeader read(base::FieldReader& reader);
  /// Whether there are keys, and so a table follows. Throws Error(corrupt) unless the header is
  /// that of a graph's section: no pattern salt, at least `arity` vertices, or without keys none.
  bool has_graph(const base::FieldReader& reader) const;
  /// Throws Error(corrupt) unless the width is 0.
  void expect_mphf(const base::FieldReader& reader) const;
};

/// The function of no keys.
std::unique_ptr<const mphf::Function> empty_function();

/// A mapped table of 4-byte entries.
class Table {
 public:
  Table() = default;
  /// The next `entries` entries.
  Table(base::FieldReader& reader, std::uint64_t entries)
      : entries_(reader.take(entries * sizeof(std::uint32_t)).data()) {}

  std::uint32_t operator[](std::uint32_t i) const noexcept {
    return base::load_le<std::uint32_t>(entries_ + i * sizeof(std::uint32_t));
  }
  void prefetch(std::uint32_t i) const noexcept {
    __builtin_prefetch(entries_ + i * sizeof(std::uint32_t));
  }

 private:
  const std::byte* entries_ = nullptr;
};

}  // namespace crivo::classic
