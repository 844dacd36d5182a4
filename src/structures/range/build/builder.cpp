// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/bits/packed.hpp"
#include "structures/range/build/range.hpp"
#include "structures/range/shape.hpp"

namespace crivo::filter {
namespace range {
namespace {

using Wide = unsigned __int128;

constexpr std::uint64_t kPartitionKeys = std::uint64_t{1} << 15;  ///< at most, in the mean
constexpr std::uint64_t kCountedKeys = UINT32_MAX;                ///< in a partition

[[noreturn]] void fail_wide() {
  throw Error(ErrorKind::usage,
              "a range filter of so many keys, for ranges so long and a rate so low, needs more "
              "than 2^62 codes; allow a higher rate or ask for shorter ranges",
              {.remedy = "fpr"});
}

/// r: so many starts in all as keep the rate that is asked for, or have the bits a key.
std::uint64_t all_starts(std::uint64_t n, const FilterOptions& options) {
  const Wide covered = Wide{n} * options.longest_range;  // codes that a query's keys may have
  Wide all = 0;
  if (options.bits) {
    const double bits = *options.bits;
    if (!(bits >= 3 && bits <= 2 + kMaxLowBits) || bits != std::floor(bits)) {
      base::refuse_option("bits", bits,
                          "is not a whole number from 3 to 58, which range filters need");
    }
    const auto low_bits = static_cast<unsigned>(bits) - 2;
    if (options.longest_range >= std::uint64_t{1} << low_bits) {
      base::refuse_option("bits", bits, "is too few for ranges so long");
    }
    all = Wide{n} << low_bits;
  } else {
    // n L / r + n L / 2^64 is at most the rate, in units of 2^-64.
    const std::uint64_t rate = bits::fixed_part(asked_fpr(options));
    if (covered >= rate / 4) fail_wide();
    const std::uint64_t left = rate - static_cast<std::uint64_t>(covered);
    all = ((covered << 64) + left - 1) / left;
  }
  if (all >> kMaxCodeBits != 0) fail_wide();
  return static_cast<std::uint64_t>(all);
}

Shape shape_for(std::uint64_t n, const FilterOptions& options) {
  Shape shape{.n = n, .longest = options.longest_range};
  const std::uint64_t all = all_starts(n, options);
  while (n >> shape.partition_bits > kPartitionKeys) ++shape.partition_bits;
  shape.starts =
      std::max<std::uint64_t>(1, base::div_ceil(all, std::uint64_t{1} << shape.partition_bits));
  const std::uint64_t of_key = n == 0 ? 1 : (shape.starts << shape.partition_bits) / n;
  shape.low_bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(of_key, 1))) - 1;
  if (shape.low_bits > kMaxLowBits) fail_wide();
  return shape;
}

base::Bytes encode(const Shape& shape) {
  base::FieldWriter header;
  header.u64(shape.n).u64(shape.starts).u64(shape.longest);
  header.u8(static_cast<std::uint8_t>(shape.partition_bits));
  header.u8(static_cast<std::uint8_t>(shape.low_bits));
  return header.align(kHeaderBytes).take();
}

/// The codes of a partition's keys, ascending. The hashes ascend, so only runs whose starts are
/// near each other are not in order yet.
std::vector<std::uint64_t> codes_of(const Shape& shape, std::span<const Hash128> hashes) {
  std::vector<std::uint64_t> codes(hashes.size());
  std::ranges::transform(hashes, codes.begin(), [&](Hash128 hash) { return shape.code_of(hash); });
  if (!std::ranges::is_sorted(codes)) std::ranges::sort(codes);
  return codes;
}

base::Bytes build_body(const Shape& shape, std::span<const Hash128> hashes) {
  if (hashes.size() > kCountedKeys) {
    throw Error(ErrorKind::bad_input, "the hashes of too many keys begin alike; use another seed");
  }
  const std::vector<std::uint64_t> codes = codes_of(shape, hashes);
  base::Bytes body(shape.body_bytes(codes.size()));
  bits::PackedWriter writer(body.data() + shape.count_bytes());
  const std::uint64_t low_mask = (std::uint64_t{1} << shape.low_bits) - 1;
  std::size_t next = 0;
  for (std::uint64_t group = 0; group != shape.groups(); ++group) {
    const std::size_t first = next;
    for (std::uint64_t b = group * kGroupBuckets; b != (group + 1) * kGroupBuckets; ++b) {
      for (; next != codes.size() && codes[next] >> shape.low_bits == b; ++next) writer.put(1, 1);
      writer.put(0, 1);
    }
    for (std::size_t i = first; i != next; ++i) writer.put(codes[i] & low_mask, shape.low_bits);
    base::store_le(body.data() + 4 * (group + 1), static_cast<std::uint32_t>(next));
  }
  writer.finish();
  return body;
}

/// The body of a part is those of its partitions; its notes, where each begins in it.
class RangeAssembly final : public Assembly {
 public:
  explicit RangeAssembly(const Shape& shape) : shape_(shape) {}

  unsigned partition_bits() const noexcept override { return shape_.partition_bits; }
  stream::PartCost cost() const noexcept override {
    const double part_bytes = (shape_.low_bits + 3) / 8.0;
    return {sizeof(std::uint64_t) + part_bytes, part_bytes};
  }

  Part build_part(unsigned /*bits*/, std::uint64_t /*index*/,
                  const stream::KeySlice& keys) const override {
    return {build_body(shape_, keys.hashes), base::FieldWriter().u64(0).take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    begin_ = sink.size();
    sink.append(encode(shape_));
  }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader begins(part.notes, "part of a filter");
    while (begins.remaining() != 0) table_.u64(sink.size() - begin_ + begins.u64());
    if (part.body.size() % 8 != 0) begins.fail("has no whole words");
    sink.append(part.body);
  }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return partition == 0 ? kHeaderBytes : 0;
  }
  void begin_page(base::Sink& sink) override {
    if (!table_.view().empty()) sink.align(kPageBytes);  // the first stands behind the header
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    if (table_.view().size() != std::uint64_t{8} << shape_.partition_bits)
      throw Error(ErrorKind::corrupt, "parts of a filter: have not an entry a partition");
    sink.append(table_.view());
  }

 private:
  Shape shape_;
  std::uint64_t begin_ = 0;  ///< of the section in its sink
  base::FieldWriter table_;
};

}  // namespace
}  // namespace range

Forecast forecast_range(std::uint64_t n, const FilterOptions& options) {
  const range::Shape shape = range::shape_for(n, options);
  if (n == 0) return {};
  const auto partitions = static_cast<double>(std::uint64_t{1} << shape.partition_bits);
  const double mean_bytes = static_cast<double>(shape.count_bytes()) +
                            (static_cast<double>(shape.groups() * range::kGroupBuckets) +
                             static_cast<double>(n) / partitions * (1 + shape.low_bits)) /
                                8;
  return {8 * partitions * (mean_bytes + 8) / static_cast<double>(n), shape.fpr()};
}

std::unique_ptr<Assembly> plan_range(std::uint64_t n, const FilterOptions& options) {
  return std::make_unique<range::RangeAssembly>(range::shape_for(n, options));
}

}  // namespace crivo::filter
