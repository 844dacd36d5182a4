#include "keys/hash_collector.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "util/bits.hpp"
#include "util/parallel.hpp"

namespace crivo::keys {
namespace {

/// The memory grows by so many blocks at once (32 MiB of hashes).
constexpr std::uint64_t kGrowth = 8192;

/// Blocks beside those of the runs: hashes and values each end within a block, which so many more
/// blocks are touched for than the elements took.
constexpr std::uint64_t kSpareBlocks = 2;

/// The size of blocks of elements, counted in hashes, as a HashArray does.
template <typename Element>
constexpr std::uint64_t hashes_in(std::uint64_t blocks) {
  static_assert(Run::kMaxElements * sizeof(Element) % sizeof(Hash128) == 0);
  return blocks * (Run::kMaxElements * sizeof(Element) / sizeof(Hash128));
}

template <typename Stored>
void store_as(std::span<const std::uint64_t> values, std::byte* to) {
  for (const std::uint64_t value : values) {
    const auto stored = static_cast<Stored>(value);
    std::memcpy(to, &stored, sizeof stored);
    to += sizeof stored;
  }
}

void store_values(std::span<const std::uint64_t> values, unsigned bytes, std::byte* to) {
  switch (bytes) {
    case 1:
      return store_as<std::uint8_t>(values, to);
    case 2:
      return store_as<std::uint16_t>(values, to);
    case 4:
      return store_as<std::uint32_t>(values, to);
    default:
      return store_as<std::uint64_t>(values, to);
  }
}

}  // namespace

template <typename Element>
void Collector<Element>::Writer::start_run(Tail& tail, std::uint64_t partition) {
  const std::uint64_t block = collector_.new_block();
  blocks_[partition].push_back(block);
  tail.next = reinterpret_cast<Element*>(collector_.memory_.data() + hashes_in<Element>(block));
  tail.end = tail.next + Run::kMaxElements;
}

template <typename Element>
Collector<Element>::Collector(unsigned threads, std::function<void(std::uint64_t)> grown)
    : grown_(std::move(grown)), memory_(HashArray::growing()) {
  for (unsigned t = 0; t < threads; ++t) writers_.emplace_back(new Writer(*this));
}

template <typename Element>
std::uint64_t Collector<Element>::new_block() {
  const std::scoped_lock lock(mutex_);
  if (blocks_ % kGrowth == 0) {
    // Of each list of runs the last may be all but empty.
    const std::uint64_t begun = std::min<std::uint64_t>(blocks_, kPartitions * writers_.size());
    if (grown_) grown_((blocks_ - begun) * Run::kMaxElements);
    memory_.grow(hashes_in<Element>(blocks_ + kGrowth));
  }
  return blocks_++;
}

template <typename Element>
std::vector<Run> Collector<Element>::runs_of(std::size_t partition) const {
  std::vector<Run> runs;
  for (const auto& writer : writers_) {
    for (const std::uint64_t block : writer->blocks_[partition]) {
      runs.push_back({block, Run::kMaxElements});
    }
    if (!writer->blocks_[partition].empty()) {
      const typename Writer::Tail& tail = writer->tails_[partition];
      runs.back().size -= static_cast<std::uint64_t>(tail.end - tail.next);
    }
  }
  return runs;
}

/// Behind the hashes, in blocks of their own; there is room, since an element has hash and value.
template <typename Element>
typename Collector<Element>::ValuePlace Collector<Element>::place_values(std::uint64_t collected,
                                                                         bool numbered) {
  std::uint64_t any = numbered && collected != 0 ? collected - 1 : 0;
  if (!numbered) {
    for (const auto& writer : writers_) any |= writer->value_bits_;
  }
  constexpr std::uint64_t kBlockBytes = Run::kMaxElements * sizeof(Element);
  const std::uint64_t behind = util::div_ceil(collected * sizeof(Hash128), kBlockBytes);
  return {reinterpret_cast<std::byte*>(memory_.data() + hashes_in<Element>(behind)),
          SortedValues::bytes_for(static_cast<unsigned>(std::bit_width(any)))};
}

template <typename Element>
void Collector<Element>::sort_partition(std::size_t p, Part& part, RunExchange<Element>& exchange,
                                        Room& room, const ValuePlace& values,
                                        const NumberValues& number) {
  const auto memory = reinterpret_cast<std::byte*>(memory_.data());
  const auto clear = [&](std::byte* place, std::uint64_t element_bytes) {
    const auto begin = static_cast<std::uint64_t>(place - memory) + part.begin * element_bytes;
    exchange.clear(begin, begin + part.size * element_bytes);
  };
  const std::span gathered(room.gathered.data(), part.size);
  exchange.gather(p, gathered);
  clear(memory, sizeof(Hash128));
  Hash128* const hashes = memory_.data() + part.begin;
  if constexpr (kHasValue<Element>) {
    clear(values.data, values.bytes);
    const std::span sorted(room.sorted.data(), part.size);
    room.sort.sort(gathered, sorted);
    part.distinct = drop_repeats(sorted, part.repeated);
    const std::span turned(room.values.data(), part.distinct);
    for (std::size_t i = 0; i < part.distinct; ++i) {
      hashes[i] = sorted[i].hash;
      turned[i] = sorted[i].value;
    }
    if (number) number(turned);
    for (const std::uint64_t value : turned) part.value_bits |= value;
    store_values(turned, values.bytes, values.data + part.begin * values.bytes);
  } else {
    const std::span<Hash128> sorted(hashes, part.size);
    room.sort.sort(gathered, sorted);
    part.distinct = drop_repeats(sorted, part.repeated);
  }
}

template <typename Element>
typename Collector<Element>::Result Collector<Element>::sort(const util::BuildContext& context,
                                                             const NumberValues& number) {
  std::vector<Part> parts(kPartitions);
  std::vector<std::vector<Run>> runs(kPartitions);
  std::uint64_t largest = 0;
  Result result;
  for (std::size_t p = 0; p < kPartitions; ++p) {
    runs[p] = runs_of(p);
    parts[p].begin = result.collected;
    for (const Run& run : runs[p]) parts[p].size += run.size;
    largest = std::max(largest, parts[p].size);
    result.collected += parts[p].size;
  }

  context.progress.begin("sort", result.collected);
  std::uint64_t blocks = blocks_;
  ValuePlace values;
  if constexpr (kHasValue<Element>) {
    blocks += kSpareBlocks;
    memory_.grow(std::max(memory_.size(), hashes_in<Element>(blocks)));
    values = place_values(result.collected, static_cast<bool>(number));
  }
  RunExchange<Element> exchange(reinterpret_cast<Element*>(memory_.data()), blocks,
                                std::move(runs));
  std::atomic<std::size_t> next{0};
  util::run_threads(context.threads, [&](unsigned) {
    Room room(largest);
    for (std::size_t p = next++; p < kPartitions; p = next++) {
      sort_partition(p, parts[p], exchange, room, values, number);
      context.progress.add(parts[p].size);
    }
  });

  std::uint64_t size = 0;
  std::uint64_t value_bits = 0;
  Hash128* const hashes = memory_.data();
  for (Part& part : parts) {
    if (size != part.begin && part.distinct != 0) {
      std::copy_n(hashes + part.begin, part.distinct, hashes + size);
      if constexpr (kHasValue<Element>) {
        std::memmove(values.data + size * values.bytes, values.data + part.begin * values.bytes,
                     part.distinct * values.bytes);
      }
    }
    size += part.distinct;
    value_bits |= part.value_bits;
    result.repeated.insert(result.repeated.end(), part.repeated.begin(), part.repeated.end());
  }
  std::uint64_t kept = size;
  if constexpr (kHasValue<Element>) {
    result.values = {values.data, values.bytes, static_cast<unsigned>(std::bit_width(value_bits))};
    const auto before =
        static_cast<std::uint64_t>(values.data - reinterpret_cast<std::byte*>(hashes));
    kept = util::div_ceil(before + size * values.bytes, sizeof(Hash128));
  }
  memory_.shrink(kept);
  result.hashes = SortedHashes(std::exchange(memory_, HashArray::growing()), size);
  blocks_ = 0;
  for (auto& writer : writers_) writer.reset(new Writer(*this));
  return result;
}

template class Collector<Hash128>;
template class Collector<HashedValue>;
template class Collector<PlacedValue>;

}  // namespace crivo::keys
