// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/partition_group.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/progress.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/assembly.hpp"
#include "structures/csf/build/slice.hpp"
#include "structures/csf/level_filter.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/build/lock_step.hpp"

namespace crivo::csf {
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
