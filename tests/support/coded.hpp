// SPDX-License-Identifier: Apache-2.0
/// Coded values built in memory, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/csf/build/builder.hpp"

namespace crivo::test {

inline retrieval::ValueSource source_of(const std::vector<std::uint64_t>& values) {
  return [&values](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> block) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), block.size(), block.begin());
  };
}

inline void build_coded(const stream::HashSource& hashes, const retrieval::ValueSource& values,
                        const base::BuildContext& context, base::Sink& sink) {
  hashes.keep_order();
  const csf::Histogram counts = csf::histogram_of(hashes, values, context);
  build(*csf::plan(counts, values), hashes, context, sink);
}

inline base::Bytes build_coded(const stream::SortedHashes& hashes,
                               const std::vector<std::uint64_t>& values, unsigned threads = 1) {
  base::Progress progress;
  base::MemorySink sink;
  build_coded(hashes, source_of(values), {threads, progress}, sink);
  return sink.take();
}

/// A number in [0, 1) that belongs to `index`.
inline double uniform(std::uint64_t index) {
  return static_cast<double>(base::mix64(index + 1) >> 11) * 0x1p-53;
}

/// `n` values with P(v) = p (1 - p)^v.
inline std::vector<std::uint64_t> geometric_values(std::uint64_t n, double p) {
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    values[i] = static_cast<std::uint64_t>(std::log1p(-uniform(i)) / std::log1p(-p));
  }
  return values;
}

/// `n` values with P(v) in proportion to (v + 1)^-s, v < symbols.
inline std::vector<std::uint64_t> zipf_values(std::uint64_t n, unsigned symbols, double s) {
  std::vector<double> sums;
  double sum = 0;
  for (unsigned v = 0; v < symbols; ++v) sums.push_back(sum += std::pow(v + 1, -s));
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    values[i] =
        static_cast<std::uint64_t>(std::ranges::upper_bound(sums, uniform(i) * sum) - sums.begin());
  }
  return values;
}

/// `n` values, of which a share of `q` is `rare` and the others `frequent`.
inline std::vector<std::uint64_t> two_values(std::uint64_t n, double q, std::uint64_t frequent,
                                             std::uint64_t rare) {
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = uniform(i) < q ? rare : frequent;
  return values;
}

/// `n` values of `width` bits, each as likely.
inline std::vector<std::uint64_t> uniform_values(std::uint64_t n, unsigned width) {
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = base::mix64(i + 1) >> (64 - width);
  return values;
}

struct NamedValues {
  std::string name;
  std::vector<std::uint64_t> values;
};

/// One of each kind of distribution.
inline std::vector<NamedValues> distributions(std::uint64_t n) {
  std::vector<NamedValues> sets;
  for (const double p : {0.1, 0.5, 0.8, 0.9, 0.99}) {
    sets.push_back({"geometric " + std::to_string(p), geometric_values(n, p)});
  }
  sets.push_back({"Zipf", zipf_values(n, 300, 1.2)});
  sets.push_back({"Zipf, many symbols", zipf_values(n, 20'000, 1.05)});
  sets.push_back({"zeros", std::vector<std::uint64_t>(n)});
  sets.push_back({"constant", std::vector<std::uint64_t>(n, UINT64_MAX)});
  sets.push_back({"95:5", two_values(n, 0.05, 0, 1)});
  sets.push_back({"95:5, wide", two_values(n, 0.05, UINT64_MAX, 1)});
  for (const unsigned width : {1U, 2U, 8U, 13U, 33U, 64U}) {
    sets.push_back({"uniform " + std::to_string(width), uniform_values(n, width)});
  }
  auto skewed = two_values(n, 0.1, 5, 0);  // and the rare values all distinct
  for (std::uint64_t i = 0; i < n; ++i) {
    if (skewed[i] == 0) skewed[i] = base::mix64(i);
  }
  sets.push_back({"a constant and distinct values", skewed});
  return sets;
}

}  // namespace crivo::test
