// SPDX-License-Identifier: Apache-2.0
#include "structures/classic/build/fch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/progress.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/classic/fch_mapping.hpp"

namespace crivo::classic {
namespace {

constexpr std::uint32_t kMaxMappings = 256;

/// The mapping and the ordering step.
FchBuckets map_and_order(std::span<const Hash128> hashes, std::uint32_t salt,
                         const FchMapping& mapping, std::uint32_t bucket_count) {
  const auto bucket_of = [&](Hash128 hash) { return mapping.bucket(words(hash, salt)[0]); };
  std::vector<std::uint32_t> sizes(bucket_count);
  for (const Hash128& hash : hashes) ++sizes[bucket_of(hash)];

  FchBuckets buckets;
  buckets.numbers = buckets_by_size(sizes);
  std::vector<std::uint32_t> ends(bucket_count);
  std::uint32_t end = 0;
  for (const std::uint32_t b : buckets.numbers) {
    buckets.sizes.push_back(sizes[b]);
    ends[b] = end;
    end += sizes[b];
  }
  buckets.hashes.resize(hashes.size());
  for (const Hash128& hash : hashes) buckets.hashes[ends[bucket_of(hash)]++] = hash;
  return buckets;
}

}  // namespace

std::vector<std::uint32_t> buckets_by_size(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> starts(*std::ranges::max_element(sizes) + 2);  // by falling size
  for (const std::uint32_t size : sizes) ++starts[starts.size() - 1 - size];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::uint32_t> numbers(starts[starts.size() - 2]);
  for (std::uint32_t b = 0; b < sizes.size(); ++b) {
    if (sizes[b] != 0) numbers[starts[starts.size() - 2 - sizes[b]]++] = b;
  }
  return numbers;
}

void build_fch(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink) {
  write_fch(hashes, choices.range, context, sink);
}

FchCounts write_fch(const stream::HashSource& hashes, Range range,
                    const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = range};
  FchCounts counts;
  if (n == 0) {
    write(header, sink);
    return counts;
  }
  const std::uint32_t bucket_count = fch_buckets(n);
  header.entries = bucket_count;
  const FchMapping mapping(range, n, bucket_count);
  for (; header.salt < kMaxMappings; ++header.salt) {
    context.progress.begin("mapping", n);
    const FchBuckets buckets =
        map_and_order(hashes.whole(context).hashes, header.salt, mapping, bucket_count);
    context.progress.begin("search", n);
    const auto rotations = search_fch(buckets, bucket_count, range, counts, &context.progress);
    if (!rotations) continue;
    context.progress.add(n);
    header.pattern_salt = rotations->pattern_salt;
    write(header, sink);
    write_entries(rotations->g, sink);
    return counts;
  }
  fail_attempts("no minimal perfect hash function", n, kMaxMappings);
}

namespace {

/// Above this, about e^kMaxClashes functions h20 would have to be tried.
constexpr double kMaxClashes = 10;

/// How many functions h20 are tried, where `clashes` pairs of keys are expected to meet under each:
/// e^clashes on average, and all in vain with probability below e^-16.
std::uint32_t max_patterns(double clashes) noexcept {
  return static_cast<std::uint32_t>(16 * std::exp(clashes)) + 16;
}

/// The addresses [0, n), of which the first so many of a random order are taken.
class Addresses {
 public:
  explicit Addresses(std::uint32_t n) : order_(n), place_(n), taken_(n / 64 + 1) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::uint64_t state = n;
    for (std::uint32_t left = n; left > 1; --left) {
      state += 0x9e3779b97f4a7c15U;
      std::swap(order_[base::mulhi(base::mix64(state), left)], order_[left - 1]);
    }
    for (std::uint32_t y = 0; y < n; ++y) place_[order_[y]] = y;
  }

  void clear() noexcept {
    taken_count_ = 0;
    std::ranges::fill(taken_, 0);
  }

  std::uint32_t taken() const noexcept { return taken_count_; }
  std::uint32_t free() const noexcept {
    return static_cast<std::uint32_t>(order_.size()) - taken_count_;
  }
  /// Free address number d, below free(), in the random order.
  std::uint32_t free_address(std::uint32_t d) const noexcept { return order_[taken_count_ + d]; }
  bool is_taken(std::uint32_t x) const noexcept { return (taken_[x / 64] >> (x % 64) & 1) != 0; }

  /// Takes a free address: it changes places with the first free one of the order.
  void take(std::uint32_t x) noexcept {
    const std::uint32_t y = place_[x];
    const std::uint32_t w = order_[taken_count_];
    order_[y] = w;
    place_[w] = y;
    order_[taken_count_] = x;
    place_[x] = taken_count_++;
    taken_[x / 64] |= std::uint64_t{1} << (x % 64);
  }

 private:
  std::vector<std::uint32_t> order_;  ///< the random table
  std::vector<std::uint32_t> place_;  ///< the mapping table: order_[place_[x]] = x
  /// By address. place_ says it too, but only this, of one bit an address, stays in cache.
  std::vector<std::uint64_t> taken_;
  std::uint32_t taken_count_ = 0;
};

/// Sets patterns[i] = h20(hashes[i]); false, with some left out, if two keys of a bucket meet.
bool make_patterns(const FchBuckets& buckets, std::uint32_t salt, const Reduction& h20,
                   std::vector<std::uint32_t>& patterns, base::CancelCheck& check) {
  std::size_t begin = 0;
  for (const std::uint32_t size : buckets.sizes) {
    check();
    std::uint32_t* const pattern = patterns.data() + begin;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t value = h20(words(buckets.hashes[begin + i], salt)[1]);
      std::uint32_t equal = 0;
      for (std::uint32_t j = 0; j < i; ++j) equal |= pattern[j] == value ? 1U : 0U;
      if (equal != 0) return false;
      pattern[i] = value;
    }
    begin += size;
  }
  return true;
}

/// How many alignments a pattern of `size` keys takes about: C(n, size) / C(free, size).
double expected_alignments(std::uint32_t n, std::uint32_t free, std::uint32_t size) noexcept {
  double alignments = 1;
  for (std::uint32_t j = 0; j < size; ++j) {
    alignments *= static_cast<double>(n - j) / static_cast<double>(free - j);
  }
  return alignments;
}

/// Turns `pattern` until its first key is at a free address and the others are at free ones too,
/// and takes them. Returns the rotation, or nothing if there is none.
std::optional<std::uint32_t> align(std::span<std::uint32_t> pattern, std::uint32_t n,
                                   Addresses& addresses, std::uint64_t& alignments,
                                   base::CancelCheck& check) {
  const std::uint32_t first = pattern[0];
  for (std::uint32_t& u : pattern) u = u >= first ? u - first : u + n - first;
  const auto others = pattern.subspan(1);
  const std::uint32_t free = addresses.free();
  for (std::uint32_t d = 0; d < free; ++d) {
    check();
    const std::uint32_t x = addresses.free_address(d);
    const auto turned = [&](std::uint32_t u) { return u >= n - x ? u - (n - x) : u + x; };
    if (std::ranges::any_of(others,
                            [&](std::uint32_t u) { return addresses.is_taken(turned(u)); })) {
      continue;
    }
    for (const std::uint32_t u : pattern) addresses.take(turned(u));
    alignments += d + 1;
    return x >= first ? x - first : x + n - first;
  }
  return std::nullopt;
}

enum class Outcome { found, other_patterns, other_mapping };

Outcome place_all(const FchBuckets& buckets, std::vector<std::uint32_t>& patterns,
                  Addresses& addresses, std::vector<std::uint32_t>& g, FchCounts& counts,
                  base::CancelCheck& check) {
  const auto n = static_cast<std::uint32_t>(patterns.size());
  addresses.clear();
  counts.alignments = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < buckets.sizes.size(); ++k) {
    const std::uint32_t size = buckets.sizes[k];
    if (expected_alignments(n, addresses.free(), size) > n) return Outcome::other_mapping;
    const auto rotation =
        align(std::span(patterns).subspan(begin, size), n, addresses, counts.alignments, check);
    if (!rotation) return Outcome::other_patterns;
    g[buckets.numbers[k]] = *rotation;
    begin += size;
  }
  return Outcome::found;
}

}  // namespace

std::optional<FchRotations> search_fch(const FchBuckets& buckets, std::uint32_t bucket_count,
                                       Range range, FchCounts& counts, Progress* progress) {
  const auto n = static_cast<std::uint32_t>(buckets.hashes.size());
  double clashes = 0;  // pairs of keys that are expected to meet
  for (const std::uint32_t size : buckets.sizes) {
    clashes += static_cast<double>(size) * (size - 1.0) / 2 / n;
  }
  if (clashes > kMaxClashes) return std::nullopt;

  FchRotations rotations{std::vector<std::uint32_t>(bucket_count), 0};
  std::vector<std::uint32_t> patterns(n);
  Addresses addresses(n);
  const Reduction h20(range, n);
  base::CancelCheck check(progress);
  const std::uint32_t tries = max_patterns(clashes);
  for (std::uint32_t salt = 0; salt < tries; ++salt) {
    ++counts.patterns;
    if (!make_patterns(buckets, salt, h20, patterns, check)) continue;
    rotations.pattern_salt = salt;
    switch (place_all(buckets, patterns, addresses, rotations.g, counts, check)) {
      case Outcome::found:
        return rotations;
      case Outcome::other_patterns:
        continue;
      case Outcome::other_mapping:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace crivo::classic
