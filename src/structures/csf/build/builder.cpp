// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "stream/key_slice.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/csf/build/plan.hpp"
#include "structures/csf/build/slice.hpp"
#include "structures/csf/code_ribbon.hpp"
#include "structures/csf/section.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/build/lock_step.hpp"

namespace crivo::csf {

/// A partition's bytes in the file.
struct BuiltPartition {
  base::Bytes body;   ///< its plain section, if there is one, then its ribbons in turn
  base::Bytes entry;  ///< in the table of partitions
};

/// Builds partitions together, ribbon by ribbon, as many slices as there are in lock step. Each has
/// its keys, with the hashes that they have there (formats/coded.md), ascending, and their values,
/// which are below 2^width. What is built depends on a partition's own keys alone. Throws
/// Error(bad_input) if the hashes are so unlike random ones that a ribbon fails. Memory: beside
/// the keys 24 bytes each, and 17 bytes a slot of ribbon::kLanes slices.
std::vector<BuiltPartition> build_group(std::vector<stream::OwnedKeys> partitions,
                                        std::span<const PlannedLevel> levels, unsigned width);

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

namespace {

/// A partition between two ribbons.
struct PartitionInWork {
  stream::OwnedKeys keys;  ///< of the level that is built
  base::Bytes plain{};
  base::FieldWriter ribbons{};  ///< their bodies so far
  base::FieldWriter words{};    ///< and the sizes of their layers
};
using Group = std::vector<PartitionInWork>;

/// Keys that a ribbon is to hold in a partition, ascending, and the codeword of each.
struct RibbonInput {
  std::vector<Hash128> keys;
  std::vector<Codeword> codes;
};

/// Appends the next ribbon of each partition, made of inputs[i] for partition i.
void build_ribbons(std::vector<RibbonInput> inputs, const Shape& shape, Group& group) {
  const std::uint64_t slices = std::uint64_t{1} << shape.slice_bits;
  std::vector<SliceInput> slice_inputs;
  slice_inputs.reserve(inputs.size() * slices);
  for (RibbonInput& input : inputs) {
    std::size_t begin = 0;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      std::size_t end = begin;
      while (end < input.keys.size() &&
             base::top_bits(input.keys[end].hi, shape.slice_bits) == slice) {
        input.keys[end] = ribbon::first_layer(input.keys[end], shape.slice_bits);
        ++end;
      }
      slice_inputs.push_back({std::span(input.keys).subspan(begin, end - begin),
                              std::span(input.codes).subspan(begin, end - begin)});
      begin = end;
    }
  }
  for (std::size_t begin = 0; begin < slice_inputs.size(); begin += ribbon::kLanes) {
    const std::size_t count = std::min<std::size_t>(ribbon::kLanes, slice_inputs.size() - begin);
    const auto images = build_slices(std::span(slice_inputs).subspan(begin, count), shape);
    for (std::size_t i = 0; i < count; ++i) {
      PartitionInWork& partition = group[(begin + i) >> shape.slice_bits];
      partition.ribbons.bytes(images[i].body).align(8);
      for (const std::uint32_t words : images[i].words) partition.words.u32(words);
    }
  }
}

/// Keeps the keys that the filter reports: the others have the dominant value. It is the ribbon
/// that was appended last, after so many bytes of both.
void keep_reported(const Shape& shape, unsigned level, std::size_t ribbon_begin,
                   std::size_t words_begin, PartitionInWork& partition) {
  constexpr std::size_t kTogether = CodeRibbon::kBatch;
  base::FieldWriter bytes;
  bytes.bytes(base::ByteView(partition.ribbons.view()).subspan(ribbon_begin));
  const std::size_t size = bytes.view().size();
  bytes.zeros(8);  // which a lookup may read
  base::FieldReader table(base::ByteView(partition.words.view()).subspan(words_begin), "filter");
  base::FieldReader body(base::ByteView(bytes.view()).first(size), "filter");
  LevelFilter filter(shape, level);
  filter.add(table, body);
  stream::OwnedKeys& keys = partition.keys;
  std::size_t kept = 0;
  std::array<LocalKey, kTogether> batch;
  std::array<bool, kTogether> reported;
  for (std::size_t begin = 0; begin < keys.hashes.size(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, keys.hashes.size() - begin);
    for (std::size_t i = 0; i < count; ++i) batch[i] = {keys.hashes[begin + i], 0};
    filter.reports(std::span(batch).first(count), reported.data());
    for (std::size_t i = 0; i < count; ++i) {
      keys.hashes[kept] = keys.hashes[begin + i];
      keys.values[kept] = keys.values[begin + i];
      kept += reported[i] ? 1 : 0;
    }
  }
  keys.hashes.resize(kept);
  keys.values.resize(kept);
}

/// Builds the filter of the keys without the dominant value.
void build_filter(const PlannedLevel& level, unsigned index, Group& group) {
  const auto bits = static_cast<std::uint8_t>(level.plan.filter_bits);
  std::vector<RibbonInput> inputs(group.size());
  std::vector<std::pair<std::size_t, std::size_t>> begins;
  for (std::size_t p = 0; p < group.size(); ++p) {
    const stream::OwnedKeys& keys = group[p].keys;
    for (std::size_t i = 0; i < keys.hashes.size(); ++i) {
      if (keys.values[i] == level.plan.dominant) continue;
      inputs[p].keys.push_back(keys.hashes[i]);
      inputs[p].codes.push_back({fingerprint(keys.hashes[i], index, bits), bits});
    }
    begins.emplace_back(group[p].ribbons.view().size(), group[p].words.view().size());
  }
  build_ribbons(std::move(inputs), level.entry.filter, group);
  for (std::size_t p = 0; p < group.size(); ++p) {
    keep_reported(level.entry.filter, index, begins[p].first, begins[p].second, group[p]);
  }
}

/// Builds the ribbon of codewords, if they have any bits, and leaves the keys that escape.
void build_codes(const PlannedLevel& level, Group& group) {
  std::vector<stream::OwnedKeys> escaped(group.size());
  std::vector<RibbonInput> inputs(group.size());
  for (std::size_t p = 0; p < group.size(); ++p) {
    stream::OwnedKeys& keys = group[p].keys;
    inputs[p].codes.reserve(keys.hashes.size());
    for (std::size_t i = 0; i < keys.hashes.size(); ++i) {
      const std::uint32_t number = level.book.number(keys.values[i]);
      inputs[p].codes.push_back(level.book.word(number));
      if (number == level.plan.escape) escaped[p].add(keys.hashes[i], keys.values[i]);
    }
    inputs[p].keys = std::move(keys.hashes);
    keys = std::move(escaped[p]);
  }
  if (level.entry.codes.code_bits != 0) build_ribbons(std::move(inputs), level.entry.codes, group);
}

base::Bytes build_plain(const stream::OwnedKeys& keys, unsigned width) {
  const stream::SliceKeys all(keys.slice());
  base::Progress silent;
  base::MemorySink sink;
  build(*ribbon::plan(all.size(), width, nullptr), all, {1, silent}, sink);
  return sink.take();
}

}  // namespace

std::vector<BuiltPartition> build_group(std::vector<stream::OwnedKeys> partitions,
                                        std::span<const PlannedLevel> levels, unsigned width) {
  Group group;
  group.reserve(partitions.size());
  for (stream::OwnedKeys& keys : partitions) group.push_back({std::move(keys)});
  for (unsigned index = 0; index < levels.size(); ++index) {
    const PlannedLevel& level = levels[index];
    if (level.plan.plain) {
      for (PartitionInWork& partition : group) partition.plain = build_plain(partition.keys, width);
      continue;
    }
    if (level.plan.filter_bits != 0) build_filter(level, index, group);
    build_codes(level, group);
  }
  const bool plain = !levels.empty() && levels.back().plan.plain;
  std::vector<BuiltPartition> built;
  built.reserve(group.size());
  for (PartitionInWork& partition : group) {
    base::FieldWriter body;
    base::FieldWriter entry;
    body.bytes(partition.plain).align(8).bytes(partition.ribbons.view());
    if (plain) entry.u64(partition.plain.size()).u64(partition.ribbons.view().size());
    entry.bytes(partition.words.view());
    built.push_back({body.take(), entry.take()});
  }
  return built;
}

}  // namespace crivo::csf
