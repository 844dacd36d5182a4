// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "structures/build/growth.hpp"
#include "structures/csf/build/partition_group.hpp"
#include "structures/csf/build/plan.hpp"
#include "structures/csf/build/planned_level.hpp"
#include "structures/csf/section.hpp"
#include "structures/ribbon/build/lock_step.hpp"

namespace crivo::csf {
namespace {

/// The body of a part is the bodies of its partitions, each up to a multiple of their alignment;
/// its notes, their entries in the table, in which a partition begins where it does in the body.
class CodedAssembly final : public Assembly {
 public:
  CodedAssembly(const Histogram& histogram, retrieval::ValueSource values)
      : values_(std::move(values)) {
    header_ = {histogram.n, histogram.entropy, histogram.width, 0,
               csf::partition_bits(histogram.n)};
    for (LevelPlan& level : make_plan(histogram))
      levels_.emplace_back(std::move(level), header_.partition_bits);
    header_.levels = static_cast<unsigned>(levels_.size());
    for (const PlannedLevel& level : levels_) {
      const LevelPlan& plan = level.plan;
      for (const std::uint64_t bits : {plan.others * plan.filter_bits, plan.code_bits}) {
        most_bits_ = std::max(most_bits_, bits);
        all_bits_ += bits;
      }
      if (plan.plain) {
        layout_.plain = true;
        all_bits_ += histogram.n * histogram.width;
      }
      layout_.slices += level.entry.slices();
    }
  }

  unsigned partition_bits() const noexcept override { return header_.partition_bits; }
  unsigned together_bits() const noexcept override {
    unsigned bits = std::bit_width(ribbon::kLanes) - 1;
    while (bits > 0 && (header_.n >> header_.partition_bits) << bits > kPartitionKeys) --bits;
    return std::min(bits, header_.partition_bits);
  }
  stream::PartCost cost() const noexcept override {
    const auto keys = static_cast<double>(std::max<std::uint64_t>(header_.n, 1));
    const double part_bytes = static_cast<double>(all_bits_) / keys / 8;
    // A row and a value a slot in work, and what is bumped; a hash and a value a key, twice, and a
    // codeword.
    const auto partition_slots = static_cast<double>(most_bits_ >> header_.partition_bits);
    const auto partition_keys =
        std::max(std::ldexp(keys, -static_cast<int>(header_.partition_bits)), 1.0);
    const double slots = std::min<double>(partition_slots, ribbon::kLanes * kSliceSlots);
    return {56 + 20 * slots / partition_keys + part_bytes, part_bytes};
  }

  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    const unsigned together = header_.partition_bits - bits;
    std::vector<stream::OwnedKeys> partitions;
    for (std::uint64_t p = index << together; p != (index + 1) << together; ++p) {
      const stream::KeySlice part = keys.partition(header_.partition_bits, p);
      stream::OwnedKeys& own = partitions.emplace_back();
      own.reserve(part.size());
      retrieval::for_each_value(part, values_, [&](std::size_t i, std::uint64_t value) {
        own.add(local_key(part.hashes[i], header_.partition_bits).hash, value);
      });
    }
    base::FieldWriter bodies;
    base::FieldWriter entries;
    for (const BuiltPartition& built : build_group(std::move(partitions), levels_, header_.width)) {
      if (layout_.entry_bytes() != 0) entries.u64(bodies.view().size()).bytes(built.entry);
      bodies.bytes(built.body).align(layout_.alignment());
    }
    return {bodies.take(), entries.take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    begin_ = sink.size();
    sink.append(encode(header_));
    for (const PlannedLevel& level : levels_) sink.append(level.encode_code(header_.width));
    sink.align(layout_.alignment());
  }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader entries(part.notes, "part of a coded section");
    while (entries.remaining() != 0) {
      table_.u64(sink.size() - begin_ + entries.u64());
      table_.bytes(entries.take(layout_.entry_bytes() - 8));
    }
    if (part.body.size() % layout_.alignment() != 0) entries.fail("has no whole partitions");
    sink.append(part.body);
    bodies_ += part.body.size();
  }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return 0; }
  void begin_page(base::Sink& sink) override { sink.align(kPageBytes); }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    if (table_.view().size() != layout_.entry_bytes() << header_.partition_bits) {
      throw Error(ErrorKind::corrupt, "parts of a coded section: have not an entry a partition");
    }
    check_growth(header_.n, static_cast<double>(bodies_), static_cast<double>(all_bits_) / 8);
    sink.append(table_.view());
    for (const PlannedLevel& level : levels_) sink.append(encode(level.entry));
  }

 private:
  retrieval::ValueSource values_;
  std::vector<PlannedLevel> levels_;
  Header header_{};
  PartitionLayout layout_;
  std::uint64_t most_bits_ = 0;  ///< of a ribbon
  std::uint64_t all_bits_ = 0;   ///< of all, at most
  std::uint64_t begin_ = 0;      ///< of the section in its sink
  std::uint64_t bodies_ = 0;     ///< bytes
  base::FieldWriter table_;
};

}  // namespace

std::unique_ptr<Assembly> plan(const Histogram& histogram, retrieval::ValueSource values) {
  return std::make_unique<CodedAssembly>(histogram, std::move(values));
}

}  // namespace crivo::csf
