// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/idle_pool.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/retrieval/build/fingerprints.hpp"
#include "structures/ribbon/build/partition.hpp"
#include "structures/ribbon/build/small_set.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {
namespace {

using retrieval::values_of;
using retrieval::ValueSource;

/// Builds from kSmallSetKeys keys and more. The body of a part is the bodies of its partitions,
/// each at a multiple of their alignment from its beginning; its notes, where they begin there.
template <typename Value, const Shape& kShape>
class PartitionedAssembly final : public Assembly {
 public:
  PartitionedAssembly(const Header& header, ValueSource source)
      : header_(header),
        source_(std::move(source)),
        bands_([] { return std::make_unique<Bands<Value, kShape>>(); }) {}

  unsigned partition_bits() const noexcept override { return header_.partition_bits(); }
  /// Large partitions come one by one, as each has the keys of some small ones in memory.
  unsigned together_bits() const noexcept override {
    return &kShape == &kLongRows ? 0 : std::bit_width(kLanes) - 1;
  }
  stream::PartCost cost() const noexcept override {
    const double part_bytes = header_.width.bits / 8.0;
    // Values, a row and a value a slot, what is bumped, and the body.
    return {2.0 * sizeof(Value) + sizeof(Coefficients<kShape>) + 4 + part_bytes, part_bytes};
  }

  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    const unsigned together = partition_bits() - bits;
    std::vector<PartitionInput<Value>> inputs;
    for (std::uint64_t p = index << together; p != (index + 1) << together; ++p) {
      const stream::KeySlice part = keys.partition(partition_bits(), p);
      inputs.push_back({part.hashes, values_of<Value>(part, source_)});
    }
    base::FieldWriter begins;
    base::MemorySink all;
    for (const base::Bytes& body :
         build_partitions<Value, kShape>(inputs, header_, *bands_.take())) {
      all.align(kBodyAlignment);
      begins.u64(all.size());
      all.append(body);
    }
    all.align(kBodyAlignment);  // so that parts in a row stand as in the section
    return {all.take(), begins.take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    begin_ = sink.size();
    sink.append(encode(header_));
  }
  void join(const PartView& part, base::Sink& sink) override {
    sink.align(kBodyAlignment);
    base::FieldReader begins(part.notes, "part of a ribbon");
    while (begins.remaining() != 0) table_.u64(sink.size() - begin_ + begins.u64());
    sink.append(part.body);
    bodies_ += part.body.size();
  }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return partition == 0 ? kHeaderBytes : 0;
  }
  void begin_page(base::Sink& sink) override {
    if (!table_.view().empty()) sink.align(kPageBytes);  // the first stands behind the header
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    const auto n = static_cast<double>(header_.n);
    check_growth(header_.n, static_cast<double>(bodies_),
                 bits_per_key(header_.n, header_.width, header_.part) * n / 8);
    sink.align(kBodyAlignment);
    sink.append(table_.zeros(kEndPadding).view());
  }
  SectionEnds looked_at_first() const noexcept override {
    return {kHeaderBytes, table_.view().size()};
  }

 private:
  Header header_;
  ValueSource source_;
  mutable base::IdlePool<Bands<Value, kShape>> bands_;
  std::uint64_t begin_ = 0;   ///< of the section in its sink
  std::uint64_t bodies_ = 0;  ///< bytes
  base::FieldWriter table_;
};

/// Builds from fewer: one part, which is the section.
template <typename Value>
class SmallAssembly final : public Assembly {
 public:
  SmallAssembly(const Header& header, ValueSource source)
      : header_(header), source_(std::move(source)) {}

  unsigned partition_bits() const noexcept override { return 0; }
  stream::PartCost cost() const noexcept override { return {}; }
  Part build_part(unsigned, std::uint64_t, const stream::KeySlice& keys) const override {
    const auto values = values_of<Value>(keys, source_);
    return {build_small_set(header_, keys.hashes, std::span<const Value>(values)), {}};
  }
  void begin(const base::BuildContext&, base::Sink&) override {}
  void join(const PartView& part, base::Sink& sink) override { sink.append(part.body); }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return 0; }
  void finish(const base::BuildContext&, base::Sink&) override {}

 private:
  Header header_;
  ValueSource source_;
};

template <typename Value>
std::unique_ptr<Assembly> assembly(const Header& header, ValueSource source) {
  if (header.n < kSmallSetKeys)
    return std::make_unique<SmallAssembly<Value>>(header, std::move(source));
  return std::make_unique<PartitionedAssembly<Value, kUsualRows>>(header, std::move(source));
}

}  // namespace

std::unique_ptr<Assembly> plan(std::uint64_t n, Width width, retrieval::ValueSource values,
                               HashPart part) {
  const Header header{part, width, 0, n};
  if (header.is_long())
    return std::make_unique<PartitionedAssembly<std::uint8_t, kLongRows>>(header,
                                                                          std::move(values));
  if (width.bits <= 8) return assembly<std::uint8_t>(header, std::move(values));
  if (width.bits <= 16) return assembly<std::uint16_t>(header, std::move(values));
  if (width.bits <= 32) return assembly<std::uint32_t>(header, std::move(values));
  return assembly<std::uint64_t>(header, std::move(values));
}

double bits_per_key(std::uint64_t n, Width width, HashPart part) {
  if (n == 0) return 0;
  if (n >= kSmallSetKeys) {
    // Measured: slots that stay empty and thresholds, in all and at the ends of a partition.
    const Header header{part, width, 0, n};
    const auto partition_keys = static_cast<double>(n >> header.partition_bits());
    if (header.is_long()) return 1.0043 + 350 / partition_keys;
    const double columns = width.bits - std::ldexp(width.narrow, -32);
    return columns * (1.0006 + 30 / partition_keys) + 0.016 + 200 / partition_keys;
  }
  const std::uint64_t slots = small_slots(n);
  return 8 * static_cast<double>(layer_bytes(width, slots, small_starts(slots))) /
         static_cast<double>(n);
}

}  // namespace crivo::ribbon

namespace crivo::filter {

ribbon::Width ribbon_width(const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  if (options.bits) return bits;
  const double narrow = std::ldexp(asked_fpr(options), static_cast<int>(bits)) - 1;
  return {bits, static_cast<std::uint32_t>(std::ldexp(narrow, 32))};
}

Forecast forecast_ribbon(std::uint64_t n, const FilterOptions& options) {
  const ribbon::Width width = ribbon_width(options);
  return {ribbon::bits_per_key(n, width, ribbon::HashPart::first_half), ribbon::rate_of(n, width)};
}

std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const FilterOptions& options) {
  const ribbon::Width width = ribbon_width(options);
  return ribbon::plan(n, width, fingerprint_source(width.bits), ribbon::HashPart::first_half);
}

}  // namespace crivo::filter
