#include "coded/histogram.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>

#include "coded/value_index.hpp"
#include "ribbon/band.hpp"
#include "util/parallel.hpp"

namespace crivo::coded {
namespace {

using ribbon::Uint128;

bool more_frequent(const Symbol& a, const Symbol& b) noexcept {
  return a.count != b.count ? a.count > b.count : a.value < b.value;
}

/// Sums up the entropy: of n values that have c of the sum log2(n) - sum of c / n log2(c).
class EntropySum {
 public:
  /// `times` values occur `count` times each.
  void add(std::uint64_t count, std::uint64_t times) {
    sum_ += Uint128{count} * times * log2_fixed(count);
  }

  std::uint64_t entropy(std::uint64_t n) const {
    if (n == 0) return 0;
    const Uint128 most = Uint128{n} * log2_fixed(n);
    return most <= sum_ ? 0 : static_cast<std::uint64_t>((most - sum_) / n);
  }

 private:
  Uint128 sum_ = 0;
};

/// Counts values as long as few differ.
class FewValues {
 public:
  /// False if too many differ.
  bool add(std::uint64_t value, std::uint64_t count) {
    std::uint32_t number = index_.find(value);
    if (number == ValueIndex::kNone) {
      if (counts_.size() == kMaxSymbols) return false;
      number = index_.insert(value);
      counts_.push_back(0);
    }
    counts_[number] += count;
    return true;
  }

  std::vector<Symbol> symbols() const {
    std::vector<Symbol> symbols(counts_.size());
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = {index_.values()[i], counts_[i]};
    return symbols;
  }

 private:
  ValueIndex index_{kMaxSymbols};
  std::vector<std::uint64_t> counts_;
};

/// The symbols in no particular sequence; false if there are too many.
bool count_few(std::span<const std::uint64_t> values, unsigned threads,
               std::vector<Symbol>& symbols) {
  std::vector<FewValues> parts(threads);
  std::atomic<bool> many{false};
  util::parallel_for(threads, threads, [&](std::uint64_t part) {
    constexpr std::uint64_t kStretch = std::uint64_t{1} << 16;  // after which `many` is looked at
    const std::uint64_t end =
        values.size() / threads * (part + 1) + (part + 1 == threads ? values.size() % threads : 0);
    std::uint64_t at = values.size() / threads * part;
    while (at < end && !many.load(std::memory_order_relaxed)) {
      const std::uint64_t stop = std::min(end, at + kStretch);
      bool few = true;
      for (const std::uint64_t value : values.subspan(at, stop - at)) {
        few = few && parts[part].add(value, 1);
      }
      if (!few) many.store(true, std::memory_order_relaxed);
      at = stop;
    }
  });
  if (many) return false;
  for (std::size_t part = 1; part < parts.size(); ++part) {
    for (const Symbol& symbol : parts[part].symbols()) {
      if (!parts[0].add(symbol.value, symbol.count)) return false;
    }
  }
  symbols = parts[0].symbols();
  return true;
}

/// Calls visit(value, count) for each distinct value, ascending.
template <typename Visit>
void for_each_run(const std::vector<std::uint64_t>& sorted, Visit&& visit) {
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    visit(sorted[begin], end - begin);
    begin = end;
  }
}

/// For more than kMaxSymbols distinct values.
void count_many(std::span<const std::uint64_t> given, Histogram& histogram) {
  std::vector<std::uint64_t> values(given.begin(), given.end());
  std::ranges::sort(values);
  histogram.width = static_cast<unsigned>(std::bit_width(values.back()));

  std::map<std::uint64_t, std::uint64_t, std::greater<>> times;  // values by how often they occur
  for_each_run(values, [&](std::uint64_t, std::uint64_t count) { ++times[count]; });
  EntropySum entropy;
  for (const auto& [count, distinct] : times) entropy.add(count, distinct);
  histogram.entropy = entropy.entropy(histogram.n);

  // The least count of a symbol, and how many of those with that count there is room for.
  std::uint64_t room = kMaxSymbols;
  auto least = times.begin();
  for (; least->second <= room; ++least) room -= least->second;
  for_each_run(values, [&](std::uint64_t value, std::uint64_t count) {
    if (count < least->first || (count == least->first && room == 0)) return;
    if (count == least->first) --room;
    histogram.symbols.push_back({value, count});
  });
}

}  // namespace

std::uint64_t log2_fixed(std::uint64_t x) noexcept {
  const auto exponent = static_cast<unsigned>(std::bit_width(x)) - 1;
  std::uint64_t result = std::uint64_t{exponent} << 32;
  std::uint64_t mantissa = x << (63 - exponent);  // from 1 to 2, in units of 2^-63
  for (unsigned bit = 32; bit-- > 0;) {
    const Uint128 square = Uint128{mantissa} * mantissa;
    const auto carry = static_cast<unsigned>(square >> 127);
    mantissa = static_cast<std::uint64_t>(square >> (63 + carry));
    result |= std::uint64_t{carry} << bit;
  }
  return result;
}

Histogram histogram_of(const stream::KeySlice& keys, unsigned threads) {
  Histogram histogram;
  histogram.n = keys.values.size();
  if (count_few(keys.values, threads, histogram.symbols)) {
    EntropySum entropy;
    for (const Symbol& symbol : histogram.symbols) {
      entropy.add(symbol.count, 1);
      const auto width = static_cast<unsigned>(std::bit_width(symbol.value));
      histogram.width = std::max(histogram.width, width);
    }
    histogram.entropy = entropy.entropy(histogram.n);
  } else {
    count_many(keys.values, histogram);
  }
  std::ranges::sort(histogram.symbols, more_frequent);
  return histogram;
}

}  // namespace crivo::coded
