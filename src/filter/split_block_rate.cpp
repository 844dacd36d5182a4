#include "filter/split_block_rate.hpp"

#include <algorithm>
#include <cmath>

#include "filter/split_block_table.hpp"
#include "util/bits.hpp"

namespace crivo::filter::split_block {

Rate rate_of(std::uint64_t n, std::uint64_t blocks) noexcept {
  if (n == 0) return {};
  const auto keys = static_cast<double>(n);
  const double share = 1 / static_cast<double>(blocks);
  Rate rate;
  double square = 0;
  const auto add = [&](double k, double probability) {
    // Of a word, the chances that one bit, and that two given ones, are clear.
    const double one = std::pow(31.0 / 32, k);
    const double two = std::pow(30.0 / 32, k);
    const double set = 1 - one;
    const double set_square = set / 32 + 31.0 / 32 * std::max(0.0, 1 - 2 * one + two);
    rate.mean += probability * std::pow(set, kWords);
    square += probability * std::pow(set_square, kWords);
  };
  if (blocks == 1) {
    add(keys, 1);
  } else {
    // Beyond ten deviations nothing is left. Small numbers of keys in a block go first.
    const double load = keys * share;
    const double reach = 10 * std::sqrt(load) + 30;
    const double low = std::max(0.0, std::floor(load - reach));
    const double high = std::min(keys, std::ceil(load + reach));
    const double odds = share / (1 - share);
    double probability =
        std::exp(std::lgamma(keys + 1) - std::lgamma(low + 1) - std::lgamma(keys - low + 1) +
                 low * std::log(share) + (keys - low) * std::log1p(-share));
    for (double k = low; k <= high; ++k) {
      add(k, probability);
      probability *= (keys - k) / (k + 1) * odds;
    }
  }
  rate.deviation = std::sqrt(std::max(0.0, square - rate.mean * rate.mean) * share);
  return rate;
}

std::uint64_t blocks_for(std::uint64_t n, double fpr) noexcept {
  std::uint64_t low = std::max<std::uint64_t>(1, util::div_ceil(n, kBlockBits));
  std::uint64_t high = kMaxBlocks + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Rate rate = rate_of(n, middle);
    if (rate.mean + 2 * rate.deviation <= fpr) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace crivo::filter::split_block
