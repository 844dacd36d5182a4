// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/histogram.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/idle_pool.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/ribbon/build/band.hpp"

namespace crivo::csf {
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

/// The sample of n keys: those with so many bits of 0 are one in 2^bits.
class Sample {
 public:
  explicit Sample(std::uint64_t n) noexcept {
    while (n >> bits_ > kSampleKeys) ++bits_;
  }

  bool is_all() const noexcept { return bits_ == 0; }
  bool has(Hash128 hash) const noexcept { return base::top_bits(base::mix64(hash.lo), bits_) == 0; }

 private:
  unsigned bits_ = 0;
};

/// The values that a thread saw.
struct Seen {
  FewValues few;
  std::uint64_t bits = 0;             ///< an OR of all
  std::vector<std::uint64_t> sample;  ///< the values of its keys
};

/// Moves what was seen into the first of `all`, one at least; false if too many differ.
bool merge_few(std::vector<std::unique_ptr<Seen>>& all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (const Symbol& symbol : all[i]->few.symbols()) {
      if (!all[0]->few.add(symbol.value, symbol.count)) return false;
    }
  }
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

/// For more than kMaxSymbols distinct values: counts those of the sample, in no particular
/// sequence.
void count_sample(std::vector<std::uint64_t> values, bool is_all, Histogram& histogram) {
  std::ranges::sort(values);
  std::map<std::uint64_t, std::uint64_t, std::greater<>> times;  // values by how often they occur
  for_each_run(values, [&](std::uint64_t, std::uint64_t count) { ++times[count]; });
  EntropySum entropy;
  for (const auto& [count, distinct] : times) entropy.add(count, distinct);
  histogram.entropy = entropy.entropy(values.size());

  // A value that a sample has once may be one of any number of values that it has not: these
  // escape.
  if (!is_all) times.erase(1);
  if (times.empty()) return;
  // The least count of a symbol, and how many of those with that count there is room for.
  std::uint64_t room = kMaxSymbols;
  auto least = times.begin();
  for (; least->second <= room && std::next(least) != times.end(); ++least) room -= least->second;
  std::uint64_t covered = 0;
  for_each_run(values, [&](std::uint64_t value, std::uint64_t count) {
    if (count < least->first || (count == least->first && room == 0)) return;
    if (count == least->first) --room;
    const auto in_all = static_cast<std::uint64_t>(Uint128{count} * histogram.n / values.size());
    histogram.symbols.push_back({value, in_all});
    covered += in_all;
  });
  if (covered == histogram.n) --histogram.symbols.back().count;
}

}  // namespace

std::uint64_t log2_fixed(std::uint64_t x) noexcept {
  return bits::fixed_log2(x) >> (bits::kLogBits - 32);
}

struct ValueCounter::Impl {
  explicit Impl(std::uint64_t keys)
      : n(keys), sample(keys), pool([this] {
          const std::scoped_lock lock(mutex);
          return std::make_unique<Seen*>(all.emplace_back(std::make_unique<Seen>()).get());
        }) {}

  std::uint64_t n;
  Sample sample;
  std::mutex mutex;
  std::vector<std::unique_ptr<Seen>> all;
  base::IdlePool<Seen*> pool;
  std::atomic<bool> too_many{false};  ///< more than kMaxSymbols differ: not all are counted
};

ValueCounter::ValueCounter(std::uint64_t n) : impl_(std::make_unique<Impl>(n)) {}

ValueCounter::~ValueCounter() = default;

void ValueCounter::add(const stream::KeySlice& keys, const retrieval::ValueSource& values) {
  const auto handle = impl_->pool.take();
  Seen& seen = **handle;
  bool counts = !impl_->too_many.load(std::memory_order_relaxed);
  retrieval::for_each_value(keys, values, [&](std::size_t i, std::uint64_t value) {
    seen.bits |= value;
    if (impl_->sample.has(keys.hashes[i])) seen.sample.push_back(value);
    counts = counts && seen.few.add(value, 1);
  });
  if (!counts) impl_->too_many.store(true, std::memory_order_relaxed);
}

Histogram ValueCounter::finish() {
  std::vector<std::unique_ptr<Seen>>& all = impl_->all;
  Histogram histogram;
  histogram.n = impl_->n;
  if (all.empty()) return histogram;
  std::uint64_t bits = 0;
  for (const auto& seen : all) bits |= seen->bits;
  histogram.width = static_cast<unsigned>(std::bit_width(bits));
  if (!impl_->too_many && merge_few(all)) {
    histogram.symbols = all[0]->few.symbols();
    EntropySum entropy;
    for (const Symbol& symbol : histogram.symbols) entropy.add(symbol.count, 1);
    histogram.entropy = entropy.entropy(histogram.n);
  } else {
    std::vector<std::uint64_t> sampled;
    for (const auto& seen : all) {
      sampled.insert(sampled.end(), seen->sample.begin(), seen->sample.end());
    }
    count_sample(std::move(sampled), impl_->sample.is_all(), histogram);
  }
  std::ranges::sort(histogram.symbols, more_frequent);
  return histogram;
}

Histogram histogram_of(const stream::HashSource& keys, const retrieval::ValueSource& values,
                       const base::BuildContext& context) {
  ValueCounter counter(keys.size());
  if (keys.size() != 0)
    keys.for_each({}, context, [&](const stream::KeySlice& some) { counter.add(some, values); });
  return counter.finish();
}

base::Bytes encode(const Histogram& histogram) {
  base::FieldWriter w;
  w.u64(histogram.entropy).u32(histogram.width);
  w.u32(static_cast<std::uint32_t>(histogram.symbols.size()));
  for (const Symbol& symbol : histogram.symbols) w.u64(symbol.value).u64(symbol.count);
  return w.take();
}

Histogram decode_histogram(base::ByteView bytes, std::uint64_t n, std::string_view what) {
  base::FieldReader r(bytes, what);
  Histogram histogram;
  histogram.n = n;
  histogram.entropy = r.u64();
  histogram.width = r.u32();
  const std::uint32_t symbols = r.u32();
  if (histogram.entropy >> 38 != 0 || histogram.width > 64 || symbols > kMaxSymbols ||
      (n == 0 && symbols != 0))
    r.fail("damaged: it counts values that cannot occur");
  histogram.symbols.reserve(symbols);
  std::uint64_t left = n;
  for (std::uint32_t i = 0; i < symbols; ++i) {
    const Symbol symbol{r.u64(), r.u64()};
    const bool in_order = i == 0 || more_frequent(histogram.symbols.back(), symbol);
    const auto width = static_cast<std::uint32_t>(std::bit_width(symbol.value));
    if (symbol.count > left || !in_order || width > histogram.width)
      r.fail("damaged: it counts values that cannot occur");
    left -= symbol.count;
    histogram.symbols.push_back(symbol);
  }
  r.expect_end();
  return histogram;
}

}  // namespace crivo::csf
