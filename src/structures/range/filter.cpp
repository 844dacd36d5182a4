// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/bytes.hpp"
#include "structures/bits/elias_fano.hpp"
#include "structures/bits/packed.hpp"
#include "structures/range/shape.hpp"

namespace crivo::filter::range {

/// Some of the keys of a group, by their numbers in it.
struct KeyRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const noexcept { return begin >= end; }
};

/// The keys of some buckets, and their bits. All that is read lies in the body, whatever the bits
/// are.
class Group {
 public:
  /// `body` is a partition's, at least body_bytes(0) of `shape`, with 8 bytes behind it; `index` is
  /// below groups().
  [[gnu::always_inline]] Group(const Shape& shape, base::ByteView body,
                               std::uint64_t index) noexcept
      : bits_(body.data() + shape.count_bytes()), low_bits_(shape.low_bits) {
    const std::uint64_t before = count_at(body, index);
    const std::uint64_t end = count_at(body, index + 1);
    const std::uint64_t all_words = (body.size() - shape.count_bytes()) / 8;
    begin_ = index * kGroupBuckets + before * (1 + low_bits_);
    size_ = end - before;
    is_sound_ =
        before <= end && (index + 1) * kGroupBuckets + end * (1 + low_bits_) <= 64 * all_words;
    words_ = base::div_ceil(begin_ + kGroupBuckets + size_, 64);
  }

  /// False if there is no such group in the body, which then is damaged.
  bool is_sound() const noexcept { return is_sound_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Asks for the buckets' ones and zeros.
  [[gnu::always_inline]] void prefetch_bits() const noexcept {
    __builtin_prefetch(bits_ + begin_ / 8);
  }
  /// Asks for the low bits of bucket `b`, where they are if the keys are spread evenly.
  [[gnu::always_inline]] void prefetch_low(std::uint64_t b) const noexcept {
    const std::uint64_t low = b * size_ / kGroupBuckets * low_bits_;
    __builtin_prefetch(bits_ + (begin_ + kGroupBuckets + size_ + low) / 8);
  }

  /// The keys of bucket `b`, below kGroupBuckets.
  KeyRun bucket(std::uint64_t b) const noexcept;
  /// The low bits of a key's code.
  std::uint64_t low(std::uint64_t key) const noexcept;
  /// Whether one of the keys' low bits are from `least` to `most`.
  bool any_low(KeyRun keys, std::uint64_t least, std::uint64_t most) const noexcept;

 private:
  static std::uint64_t count_at(base::ByteView body, std::uint64_t group) noexcept {
    return base::load_le<std::uint32_t>(body.data() + 4 * group);
  }
  /// The place, in the group, of the zero before which there are `before` others.
  std::uint64_t zero(std::uint64_t before) const noexcept;
  /// How many ones there are from a place in the group on until the next zero.
  std::uint64_t ones_at(std::uint64_t place) const noexcept;
  std::uint64_t zeros_of_word(std::uint64_t word) const noexcept {
    return ~base::load_le<std::uint64_t>(bits_ + 8 * word);
  }

  const std::byte* bits_;  ///< of the body
  std::uint64_t begin_;    ///< of the group, in bits
  std::uint64_t words_;    ///< of the body's bits, up to where the group's lows may begin
  std::uint64_t size_;     ///< keys
  unsigned low_bits_;
  bool is_sound_;
};

/// The whole section.
class Table {
 public:
  Table() = default;
  /// Checks the header and where the bodies begin: O(2^g). Throws Error(corrupt).
  explicit Table(base::ByteView section);

  const Shape& shape() const noexcept { return shape_; }

  /// Whether a key's code is from that of `first` to that of the number `last` of the same run.
  bool any(Hash128 first, std::uint64_t last) const noexcept;
  /// Asks for what any() reads first, then for what it reads with that.
  [[gnu::always_inline]] void prefetch_counts(Hash128 first) const noexcept {
    const std::uint64_t group = (shape_.code_of(first) >> shape_.low_bits) / kGroupBuckets;
    __builtin_prefetch(body(shape_.partition_of(first)).data() + 4 * group);
  }
  [[gnu::always_inline]] void prefetch_bits(Hash128 first) const noexcept {
    const std::uint64_t bucket = shape_.code_of(first) >> shape_.low_bits;
    const Group group(shape_, body(shape_.partition_of(first)), bucket / kGroupBuckets);
    group.prefetch_bits();
    group.prefetch_low(bucket % kGroupBuckets);
  }

 private:
  base::ByteView body(std::uint64_t partition) const noexcept {
    const std::byte* const entry = begins_ + 8 * partition;
    const auto begin = base::load_le<std::uint64_t>(entry);
    const std::uint64_t last = (std::uint64_t{1} << shape_.partition_bits) - 1;
    const std::uint64_t end = partition == last ? static_cast<std::uint64_t>(begins_ - section_)
                                                : base::load_le<std::uint64_t>(entry + 8);
    return {section_ + begin, end - begin};
  }

  Shape shape_;
  const std::byte* section_ = nullptr;
  const std::byte* begins_ = nullptr;  ///< of the bodies, behind the last of them
};

}  // namespace crivo::filter::range

namespace crivo::filter {
namespace range {
namespace {

class Filter final : public Membership {
 public:
  explicit Filter(const Table& table) noexcept : table_(table) {}

  std::uint64_t size() const noexcept override { return table_.shape().n; }
  double fpr() const noexcept override { return table_.shape().fpr(); }
  std::vector<Parameter> parameters() const override {
    return {{"longest_range", table_.shape().longest},
            {"low_bits", std::uint64_t{table_.shape().low_bits}},
            {"partitions", std::uint64_t{1} << table_.shape().partition_bits}};
  }

  bool contains(Hash128 hash) const noexcept override { return table_.any(hash, hash.lo); }
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    answer(
        hashes,
        [](Hash128 hash) {
          return NumberRun{hash, hash.lo};
        },
        answers);
  }
  bool contains_run(const NumberRun& run) const noexcept override {
    return table_.any(run.first, run.last);
  }
  void contains_runs(std::span<const NumberRun> runs, bool* answers) const noexcept override {
    answer(
        runs, [](const NumberRun& run) { return run; }, answers);
  }

 private:
  /// Answers in steps, each for so many at once: counts and bits are prefetched before they are
  /// read.
  template <typename Asked, typename RunOf>
  void answer(std::span<const Asked> all, const RunOf& run_of, bool* answers) const noexcept {
    constexpr std::size_t kTogether = 32;
    while (!all.empty()) {
      const auto some = all.first(std::min(kTogether, all.size()));
      all = all.subspan(some.size());
      for (const Asked& one : some) table_.prefetch_counts(run_of(one).first);
      for (const Asked& one : some) table_.prefetch_bits(run_of(one).first);
      for (const Asked& one : some) {
        const NumberRun run = run_of(one);
        *answers++ = table_.any(run.first, run.last);
      }
    }
  }

  Table table_;
};

}  // namespace
}  // namespace range

std::unique_ptr<const Membership> open_range(base::ByteView section) {
  return std::make_unique<range::Filter>(range::Table(section));
}

}  // namespace crivo::filter

namespace crivo::filter::range {
namespace {}  // namespace

double Shape::fpr() const noexcept {
  const double covered = static_cast<double>(n) * static_cast<double>(longest);
  return std::min(
      1.0, covered / std::ldexp(static_cast<double>(starts), static_cast<int>(partition_bits)) +
               std::ldexp(covered, -64));
}

std::uint64_t Group::zero(std::uint64_t before) const noexcept {
  const std::uint64_t limit = kGroupBuckets + size_;
  std::uint64_t word = begin_ / 64;
  std::uint64_t zeros = zeros_of_word(word) & ~std::uint64_t{0} << begin_ % 64;
  std::uint64_t sums = bits::running_ones(zeros);
  while (sums >> 56 <= before) {
    before -= sums >> 56;
    if (++word >= words_) return limit;
    zeros = zeros_of_word(word);
    sums = bits::running_ones(zeros);
  }
  return std::min(limit, word * 64 + bits::select_one(zeros, sums, before) - begin_);
}

std::uint64_t Group::ones_at(std::uint64_t place) const noexcept {
  const std::uint64_t at = begin_ + place;
  std::uint64_t word = at / 64;
  if (word >= words_) return 0;
  std::uint64_t zeros = zeros_of_word(word) & ~std::uint64_t{0} << at % 64;
  while (zeros == 0) {
    if (++word >= words_) return words_ * 64 - at;
    zeros = zeros_of_word(word);
  }
  return word * 64 + static_cast<unsigned>(std::countr_zero(zeros)) - at;
}

KeyRun Group::bucket(std::uint64_t b) const noexcept {
  const std::uint64_t place = b == 0 ? 0 : zero(b - 1) + 1;
  const std::uint64_t begin = std::min(size_, place - std::min(place, b));
  return {begin, std::min(size_, begin + ones_at(place))};
}

std::uint64_t Group::low(std::uint64_t key) const noexcept {
  return bits::load_bits(bits_, begin_ + kGroupBuckets + size_ + key * low_bits_, low_bits_);
}

bool Group::any_low(KeyRun keys, std::uint64_t least, std::uint64_t most) const noexcept {
  constexpr std::uint64_t kFew = 8;  // are looked at one after another
  while (keys.end - keys.begin > kFew) {
    const std::uint64_t middle = keys.begin + (keys.end - keys.begin) / 2;
    if (low(middle) < least) {
      keys.begin = middle + 1;
    } else {
      keys.end = middle + 1;
    }
  }
  for (; keys.begin != keys.end; ++keys.begin) {
    const std::uint64_t found = low(keys.begin);
    if (found >= least) return found <= most;
  }
  return false;
}

Table::Table(base::ByteView section) : section_(section.data()) {
  base::FieldReader r(section, "filter section");
  shape_.n = r.u64();
  shape_.starts = r.u64();
  shape_.longest = r.u64();
  shape_.partition_bits = r.u8();
  shape_.low_bits = r.u8();
  r.align(kHeaderBytes);
  if (shape_.partition_bits > kMaxPartitionBits || shape_.low_bits > kMaxLowBits ||
      shape_.starts == 0 || shape_.starts > std::uint64_t{1} << kMaxCodeBits) {
    r.fail("has numbers of codes that cannot be");
  }
  if (shape_.longest == 0 || shape_.longest > kMaxLongest) r.fail("has no sound range");
  const std::uint64_t partitions = std::uint64_t{1} << shape_.partition_bits;
  const std::uint64_t left = r.remaining() / 8;  // words
  if (r.remaining() % 8 != 0 || left < partitions || shape_.groups() > left ||
      shape_.body_bytes(0) / 8 > (left - partitions) >> shape_.partition_bits) {
    r.fail("is too short for its partitions");
  }
  r.unused(8 * (left - partitions));
  begins_ = section.data() + r.position();
  const std::uint64_t end = r.position();
  std::uint64_t next = kHeaderBytes;  // the least place of the next body
  for (std::uint64_t p = 0; p != partitions; ++p) {
    const std::uint64_t begin = r.u64();
    if (begin % 8 != 0 || begin < next || begin > end || end - begin < shape_.body_bytes(0)) {
      r.fail("has partitions that begin where they cannot");
    }
    next = begin + shape_.body_bytes(0);
  }
  r.expect_end();
}

bool Table::any(Hash128 first, std::uint64_t last) const noexcept {
  const base::ByteView body = this->body(shape_.partition_of(first));
  const std::uint64_t least = shape_.code_of(first);
  const std::uint64_t most = shape_.code_of({first.hi, last});
  const std::uint64_t low_mask = (std::uint64_t{1} << shape_.low_bits) - 1;
  const std::uint64_t first_bucket = least >> shape_.low_bits;
  const std::uint64_t last_bucket = most >> shape_.low_bits;
  for (std::uint64_t g = first_bucket / kGroupBuckets; g <= last_bucket / kGroupBuckets; ++g) {
    const Group group(shape_, body, g);
    if (!group.is_sound()) return true;
    if (group.size() == 0) continue;
    group.prefetch_low(first_bucket % kGroupBuckets);
    KeyRun between{0, group.size()};  // the first and the last bucket
    if (g == first_bucket / kGroupBuckets) {
      const KeyRun keys = group.bucket(first_bucket % kGroupBuckets);
      if (first_bucket == last_bucket)
        return group.any_low(keys, least & low_mask, most & low_mask);
      if (!keys.empty() && group.low(keys.end - 1) >= (least & low_mask)) return true;
      between.begin = keys.end;
    }
    if (g == last_bucket / kGroupBuckets) {
      const KeyRun keys = group.bucket(last_bucket % kGroupBuckets);
      if (!keys.empty() && group.low(keys.begin) <= (most & low_mask)) return true;
      between.end = keys.begin;
    }
    if (!between.empty()) return true;
  }
  return false;
}

}  // namespace crivo::filter::range
