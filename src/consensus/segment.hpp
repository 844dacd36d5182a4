/// The buckets of 2^17 keys: what a build makes at once, and a reader finds in one place.
#pragma once

#include <cstdint>
#include <span>

#include "consensus/kernel.hpp"
#include "consensus/parameters.hpp"
#include "consensus/tree_search.hpp"
#include "file/bytes.hpp"
#include "ribbon/band.hpp"

namespace crivo::consensus {

inline constexpr unsigned kMaxSalt = 15;

/// A segment's columns are one bit a pair, and a word for the rest of the last pair's equation.
inline constexpr std::uint64_t kExtraColumnBytes = 8;

struct Segment {
  std::uint8_t salt = 0;
  file::Bytes columns;  ///< k / 16 bytes a bucket, and kExtraColumnBytes
  file::Bytes trees;    ///< tree_bits / 8 bytes a bucket
};

/// Makes segment after segment on one thread.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(const Parameters& parameters);

  /// The segment of `hashes`, which fill its buckets: a multiple of k of them, at most 2^17. Throws
  /// Error(bad_input) if no salt will do.
  Segment build(std::span<const Hash128> hashes);

 private:
  bool try_salt(std::span<const Hash128> hashes, Segment& segment);

  Shape shape_;
  TreeSearch search_;
  std::vector<std::uint64_t> materials_;
};

}  // namespace crivo::consensus
