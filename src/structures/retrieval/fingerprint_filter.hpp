/// Filters that are a static function of each key's fingerprint: what they share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "crivo/error.hpp"
#include "crivo/filter_options.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter.hpp"
#include "structures/retrieval/fingerprint.hpp"
#include "structures/retrieval/value_source.hpp"

namespace crivo::filter {

inline constexpr unsigned kMaxFingerprintBits = 32;

/// Gives each key its fingerprint of `bits` bits.
retrieval::ValueSource fingerprint_source(unsigned bits);

/// Those the options name, or the fewest whose rate 2^-bits is at most the one asked. Throws
/// Error(usage) unless they are a whole number from 1 to 32.
unsigned fingerprint_bits(const FilterOptions& options);

/// The false-positive rate of fingerprints, in a filter that holds any key at all.
inline double fingerprint_fpr(std::uint64_t n, unsigned bits) noexcept {
  return n == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(bits));
}

/// Answers from a static function `Table`, which has size(), width(), value(hash) and
/// values(hashes, values), and can have contains(hash), true if the value is the fingerprint.
template <typename Table>
class FingerprintFilter final : public Membership {
 public:
  /// Throws Error(corrupt) if the table's values are wider than fingerprints can be.
  explicit FingerprintFilter(Table table) : table_(std::move(table)) {
    if (table_.width() > kMaxFingerprintBits) {
      throw Error(ErrorKind::corrupt, "filter section: has fingerprints of more than 32 bits");
    }
  }

  std::uint64_t size() const noexcept override { return table_.size(); }
  double fpr() const noexcept override { return fingerprint_fpr(table_.size(), table_.width()); }

  bool contains(Hash128 hash) const noexcept override {
    if constexpr (requires { table_.contains(hash); }) {
      return table_.contains(hash);
    } else {
      return table_.size() != 0 &&
             table_.value(hash) == retrieval::fingerprint(hash, table_.width());
    }
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    std::array<std::uint64_t, 256> values;
    while (!hashes.empty()) {
      const std::size_t count = std::min(values.size(), hashes.size());
      table_.values(hashes.first(count), values.data());
      for (std::size_t i = 0; i < count; ++i) {
        answers[i] =
            table_.size() != 0 && values[i] == retrieval::fingerprint(hashes[i], table_.width());
      }
      hashes = hashes.subspan(count);
      answers += count;
    }
  }

 private:
  Table table_;
};

}  // namespace crivo::filter
