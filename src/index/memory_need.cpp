// SPDX-License-Identifier: Apache-2.0
#include "index/memory_need.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "index/filter_file.hpp"
#include "index/map_file.hpp"
#include "index/rank_index.hpp"
#include "records/record_spool.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr double kHash = sizeof(Hash128);
constexpr double kValue = 8;  // beside the hash, in the stream
constexpr double kPlace = 8;  // and the value's place

// Measured: the peak resident memory of builds of 10^6 and 10^7 keys on 1, 2 and 4 threads.
constexpr double kFixed = 10e6;
constexpr double kThread = 3.2e6;
constexpr double kStore = 64e6;  // the log of the records, and their compression

/// Of a structure that takes the whole set: its hashes, and what they are sorted from or what it
/// takes itself.
double whole_bytes(double build_bytes) {
  return kHash + std::max(kHash, build_bytes);
}

/// Of a structure over keys that take `stream_bytes` each.
MemoryNeed of_structure(const BuildCost& cost, double stream_bytes = kHash) {
  return {cost.whole_set ? whole_bytes(cost.held_bytes) : cost.held_bytes, stream_bytes,
          cost.thread_bytes};
}

}  // namespace

std::uint64_t MemoryNeed::least(std::uint64_t keys) const noexcept {
  constexpr double kLease = 1.0 / 32;
  return fixed_bytes + static_cast<std::uint64_t>(static_cast<double>(keys) * (key_bytes + kLease));
}

std::uint64_t MemoryNeed::spilled(std::uint64_t keys, std::uint64_t budget) const noexcept {
  const auto streamed =
      static_cast<std::uint64_t>((stream_bytes + record_bytes) * static_cast<double>(keys));
  return streamed > budget / 4 * 3 ? streamed : 0;
}

std::uint64_t MemoryNeed::peak(std::uint64_t keys, unsigned threads,
                               std::uint64_t budget) const noexcept {
  const double held = key_bytes * static_cast<double>(keys);
  const double streamed = (stream_bytes + record_bytes) * static_cast<double>(keys);
  const double beside = kFixed + (kThread + work_bytes) * threads;
  const double all = held + streamed + beside;
  if (spilled(keys, budget) == 0) return static_cast<std::uint64_t>(all);
  return static_cast<std::uint64_t>(
      std::min(all, std::max(static_cast<double>(budget), held) + beside));
}

MemoryNeed mphf_memory(const MphfOptions& mphf) {
  const mphf::Algorithm& algorithm = find_algorithm(mphf.algorithm);
  MemoryNeed need = of_structure(algorithm.cost, kHash + (algorithm.preserves_order ? kValue : 0));
  need.stream_bytes += mphf.signature_bits / 8.0;
  return need;
}

MemoryNeed filter_memory(const FilterOptions& filter) {
  const filter::Type& type = filter::find_type(filter);
  BuildCost cost = type.cost;
  // The filter itself, which is in memory while it is built.
  if (cost.whole_set) cost.held_bytes = type.plan(1'000'000, filter).bits_per_key / 8;
  return of_structure(cost);
}

MemoryNeed map_memory(const MapOptions& map, unsigned value_bits, bool ignore_duplicates) {
  constexpr double kValueBit = 0.2e6;  // of a partition in work
  const double collected = kHash + kValue + (map.values && ignore_duplicates ? kPlace : 0);
  const BuildCost& cost = map::find_algorithm(map).cost;
  MemoryNeed need = of_structure(cost, collected);
  if (cost.whole_set) {
    need.key_bytes += kValue;
  } else {
    need.work_bytes += kValueBit * value_bits;
  }
  return need;
}

MemoryNeed with_records(MemoryNeed need, double pair_bytes) {
  need.record_bytes = records::RecordSpool::held_bytes(pair_bytes);
  return need;
}

MemoryNeed store_memory(const StoreOptions& store) {
  MemoryNeed need = of_structure(find_algorithm(store.algorithm).cost);
  need.work_bytes += kStore / 2;
  return need;
}

MemoryNeed shard_memory(const MemoryNeed& need) {
  // No input is parsed: its files of hashes are mapped.
  return {
      .stream_bytes = need.stream_bytes, .work_bytes = need.work_bytes, .fixed_bytes = 4 * kMiB};
}

MemoryNeed merge_memory(const MemoryNeed& need) {
  return {.key_bytes = need.key_bytes, .fixed_bytes = 4 * kMiB};
}

MemoryBudget::MemoryBudget(const BuildOptions& options, const base::AvailableMemory& available)
    : bytes(options.resources.memory), was_asked(bytes != 0) {
  if (was_asked) return;
  bytes = available.bytes / 4 * 3;
  source = "three quarters of what " + available.limit + " leaves";
}

std::uint64_t MemoryBudget::stream_bytes() const noexcept {
  constexpr std::uint64_t kBeside = 32 * kMiB;  // leases, buffers of the input and the output
  return std::max(bytes / 2, bytes - std::min(bytes, kBeside));
}

std::uint64_t MemoryBudget::scratch_bytes(std::uint64_t free_bytes) const noexcept {
  constexpr std::uint64_t kThings = 4;  // at once: keys twice, places, signatures
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 18;
  constexpr std::uint64_t kMostOfBudget = 32;  // the rest is for leases
  return std::max(kLeast, std::min(free_bytes / (2 * kThings), bytes / kMostOfBudget));
}

unsigned MemoryBudget::threads(unsigned asked) const noexcept {
  constexpr std::uint64_t kThreadBytes = 4 * kMiB;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(bytes / kThreadBytes, 1, std::max(asked, 1U)));
}

std::string memory_text(std::uint64_t bytes) {
  std::array<char, 32> text{};
  const bool small = bytes < 1'000'000;
  std::snprintf(text.data(), text.size(), small ? "%.0f KB" : "%.0f MB",
                static_cast<double>(bytes) / (small ? 1e3 : 1e6));
  return text.data();
}

std::string memory_problem(std::uint64_t keys, const MemoryNeed& need, const MemoryBudget& budget,
                           std::string_view work) {
  const std::uint64_t least = need.least(keys);
  if (least <= budget.bytes) return {};
  const std::string needs = std::string(work) + " of " + std::to_string(keys) +
                            " keys or more needs at least " + memory_text(least);
  if (budget.was_asked) return "memory: " + memory_text(budget.bytes) + " is too small: " + needs;
  return "not enough memory: " + needs + ", and " + budget.source + " is " +
         memory_text(budget.bytes) + "; build fewer keys at once";
}

}  // namespace crivo::index
