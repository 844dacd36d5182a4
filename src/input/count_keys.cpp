// SPDX-License-Identifier: Apache-2.0
#include "input/count_keys.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <utility>

#include "hashing/hash128.hpp"
#include "input/for_each_chunk.hpp"
#include "input/units.hpp"
#include "input/value_text.hpp"

namespace crivo::input {
namespace {

/// Sums count(chunk) over the chunks of an input.
template <typename Count>
KeyCount count_units(const KeyInput& input, const UnitFraming& framing,
                     const base::BuildContext& context, Count&& count) {
  ChunkReader reader(input, framing, {});
  KeyCount all;
  std::mutex adding;
  context.progress.begin("count", regular_input_bytes(input).value_or(0), Progress::Unit::bytes);
  for_each_chunk(reader, input, framing, context, [&](unsigned, const Chunk& chunk) {
    const KeyCount counted = count(chunk);
    const std::lock_guard lock(adding);
    all.keys += counted.keys;
    all.bytes += counted.bytes;
    all.longest = std::max(all.longest, counted.longest);
  });
  return all;
}

constexpr std::uint64_t kSeed = 0x6b657074;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
// The front of a longer record tells how the rest compresses.
constexpr std::size_t kLongest = std::size_t{64} << 10;

}  // namespace

KeyCount count_keys(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept) {
  return count_units(input, UnitFraming::of_keys(input.format), context, [&](const Chunk& chunk) {
    KeyCount count;
    for_each_key(chunk, input.format, [&](std::string_view key, std::uint64_t index, std::size_t) {
      count.add(key.size());
      if (kept != nullptr && kept->wants(index)) kept->add(key);
    });
    return count;
  });
}

KeyCount count_records(const KeyInput& input, const base::BuildContext& context, KeptUnits* kept) {
  return count_units(
      input, UnitFraming::of_records(input.format), context, [&](const Chunk& chunk) {
        KeyCount count;
        for_each_record(
            chunk, input.format,
            [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
              count.add(key.size() + record.size());
              if (kept != nullptr) kept->add(key, record);
            });
        return count;
      });
}

ValueCount count_values(const KeyInput& input, const ValueForm& form,
                        const base::BuildContext& context, KeptUnits* kept) {
  std::atomic<std::uint64_t> all{0};
  const KeyCount counted =
      count_units(input, UnitFraming::of_records(input.format), context, [&](const Chunk& chunk) {
        KeyCount count;
        std::uint64_t bits = 0;
        for_each_value(
            chunk, input.format, form, 64,
            [&](std::string_view key, std::uint64_t value, std::uint64_t index, std::size_t) {
              count.add(key.size());
              bits |= value;
              if (kept != nullptr && kept->wants(index)) kept->add(key, {}, value);
            });
        all |= bits;
        return count;
      });
  return {counted, static_cast<unsigned>(std::bit_width(all.load()))};
}

KeptUnits::KeptUnits(std::uint64_t units, double unit_bytes) {
  const double most = static_cast<double>(kMostBytes) / (sizeof(Entry) + unit_bytes);
  while (static_cast<double>(units) > 2 * most * static_cast<double>(passed_over_ + 1))
    passed_over_ = 2 * passed_over_ + 1;
  if (units == 0) return;
  texts_.reserve(kMostBytes);
  entries_.reserve(kMostBytes / sizeof(Entry));
}

void KeptUnits::add(std::string_view key, std::string_view record, std::uint64_t value) {
  const std::uint64_t hash = hash_key(key, kSeed).hi;
  if (hash > bound_.load(std::memory_order_relaxed)) return;
  const std::string_view front = record.substr(0, kLongest);
  const std::scoped_lock lock(mutex_);
  if (hash > bound_) return;
  entries_.push_back({hash, value + record.size() - front.size(), texts_.size(),
                      static_cast<std::uint32_t>(key.size()),
                      static_cast<std::uint32_t>(front.size())});
  texts_.insert(texts_.end(), key.begin(), key.end());
  texts_.insert(texts_.end(), front.begin(), front.end());
  while (texts_.size() + entries_.size() * sizeof(Entry) > kMostBytes) drop_upper_half();
}

void KeptUnits::drop_upper_half() {
  const std::uint64_t bound = bound_ / 2;
  bound_ = bound;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.hash > bound; });
  std::size_t end = 0;
  for (Entry& entry : entries_) {  // in the order of their texts
    std::copy_n(texts_.begin() + static_cast<std::ptrdiff_t>(entry.offset), entry.bytes(),
                texts_.begin() + static_cast<std::ptrdiff_t>(end));
    entry.offset = end;
    end += entry.bytes();
  }
  texts_.resize(end);
}

std::vector<KeptUnits::Unit> KeptUnits::sorted() {
  std::ranges::sort(entries_, {}, &Entry::hash);
  std::vector<char> texts;
  texts.reserve(texts_.size());
  std::vector<Unit> units;
  units.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    const auto begin = texts_.begin() + static_cast<std::ptrdiff_t>(entry.offset);
    texts.insert(texts.end(), begin, begin + static_cast<std::ptrdiff_t>(entry.bytes()));
    const std::string_view text(texts.end() - static_cast<std::ptrdiff_t>(entry.bytes()),
                                texts.end());
    units.push_back({.key = text.substr(0, entry.key_bytes),
                     .record = text.substr(entry.key_bytes),
                     .value = entry.value});
  }
  texts_ = std::move(texts);
  entries_.clear();
  return units;
}

}  // namespace crivo::input
