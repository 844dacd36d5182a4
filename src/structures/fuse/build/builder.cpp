// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/build/builder.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "structures/fuse/table.hpp"
#include "structures/retrieval/build/fingerprints.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::fuse {
namespace {

using retrieval::ValueSource;

static_assert(kSmallSetKeys <= ribbon::kSmallSetKeys);

/// Builds from kSmallSetKeys keys and more. The body of a part is the slots of its shard; its
/// notes, the shard's entry in the table.
template <typename Value>
class ShardedAssembly final : public Assembly {
 public:
  ShardedAssembly(const Header& header, ValueSource source, HashPart part)
      : header_(header), source_(std::move(source)), builders_([this, part] {
          return std::make_unique<ShardBuilder<Value>>(header_.shape, header_.width, part);
        }) {}

  unsigned partition_bits() const noexcept override { return header_.shape.shard_bits; }
  stream::PartCost cost() const noexcept override {
    // At most 5/4 slots a key, but for shards that had to grow.
    return {23 + 2.25 * sizeof(Value), 1.25 / 8 * header_.width};
  }

  Part build_part(unsigned, std::uint64_t, const stream::KeySlice& keys) const override {
    std::optional<ShardImage> image;
    if (keys.size() <= kMaxShardKeys) {
      image = builders_.take()->build(keys.hashes, retrieval::values_of<Value>(keys, source_),
                                      choose_segments(header_.n, header_.shape.arity, keys.size()));
    }
    if (!image) {
      throw Error(ErrorKind::bad_input,
                  "the hashes of the keys are not random enough for fuse graphs; build with "
                  "another seed",
                  {.remedy = "keyed_hash"});
    }
    return {std::move(image->slots),
            base::FieldWriter().u32(encode_shard(image->segments, image->seed)).take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override { sink.append(encode(header_)); }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of a fuse section");
    const std::uint32_t entry = notes.u32();
    notes.expect_end();
    sink.append(part.body);
    table_.u32(entry | (apart_ ? kApart : 0));
    apart_ = false;
  }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return kHeaderBytes; }
  void begin_page(base::Sink& sink) override {
    const std::uint64_t unit = kApartSlots / 8 * header_.width;
    const std::uint64_t beyond = (sink.size() - kHeaderBytes) % unit;
    if (beyond != 0) sink.append(base::Bytes(unit - beyond));
    apart_ = true;
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    sink.append(table_.zeros(kEndPadding).view());
  }

 private:
  Header header_;
  ValueSource source_;
  mutable base::IdlePool<ShardBuilder<Value>> builders_;
  bool apart_ = false;  ///< the next part's shard
  base::FieldWriter table_;
};

/// Builds from fewer: a small set of ribbon's behind the header.
class SmallAssembly final : public Assembly {
 public:
  SmallAssembly(const Header& header, ValueSource source, HashPart part)
      : header_(header), ribbon_(ribbon::plan(header.n, header.width, std::move(source), part)) {}

  unsigned partition_bits() const noexcept override { return 0; }
  stream::PartCost cost() const noexcept override { return {}; }
  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    return ribbon_->build_part(bits, index, keys);
  }
  void begin(const base::BuildContext&, base::Sink& sink) override { sink.append(encode(header_)); }
  void join(const PartView& part, base::Sink& sink) override { sink.append(part.body); }
  std::uint64_t place_in_page(std::uint64_t) const noexcept override { return kHeaderBytes; }
  void finish(const base::BuildContext&, base::Sink&) override {}

 private:
  Header header_;
  std::unique_ptr<Assembly> ribbon_;
};

}  // namespace

std::unique_ptr<Assembly> plan(std::uint64_t n, unsigned width, unsigned arity,
                               retrieval::ValueSource values, HashPart part) {
  if (n < kSmallSetKeys)
    return std::make_unique<SmallAssembly>(Header{width, n, {arity, 0, 0}}, std::move(values),
                                           part);
  const Header header{width, n, choose_shape(n, arity)};
  if (width <= 8)
    return std::make_unique<ShardedAssembly<std::uint8_t>>(header, std::move(values), part);
  if (width <= 16)
    return std::make_unique<ShardedAssembly<std::uint16_t>>(header, std::move(values), part);
  if (width <= 32)
    return std::make_unique<ShardedAssembly<std::uint32_t>>(header, std::move(values), part);
  return std::make_unique<ShardedAssembly<std::uint64_t>>(header, std::move(values), part);
}

double bits_per_key(std::uint64_t n, unsigned width, unsigned arity) {
  if (n == 0) return 0;
  if (n < kSmallSetKeys) return ribbon::bits_per_key(n, width);
  const Shape shape = choose_shape(n, arity);
  const std::uint64_t segments = choose_segments(n, arity, n >> shape.shard_bits);
  const double shard = static_cast<double>(shape.slots(segments)) * width + 8 * kTableEntryBytes;
  return shard * static_cast<double>(shape.shards()) / static_cast<double>(n);
}

namespace {

/// A key's slots in 64 bits: the first one above three offsets. No segment that the builder chooses
/// has more slots than an offset can tell apart.
constexpr unsigned kOffsetBits = 13;
constexpr unsigned kFirstShift = 3 * kOffsetBits;

std::uint64_t edge_of(std::uint64_t first, std::uint64_t offsets) noexcept {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kOffsetBits) - 1;
  return first << kFirstShift | (offsets >> 48 & kMask) << (2 * kOffsetBits) |
         (offsets >> 32 & kMask) << kOffsetBits | (offsets >> 16 & kMask);
}

/// Calls `visit` with each of the edge's slots.
template <unsigned kArity, typename Visit>
inline void each_slot(std::uint64_t edge, std::uint64_t length, Visit&& visit) {
  const std::uint64_t first = edge >> kFirstShift;
  visit(first);
  visit((first + length) ^ (edge >> (2 * kOffsetBits) & (length - 1)));
  visit((first + 2 * length) ^ (edge >> kOffsetBits & (length - 1)));
  if constexpr (kArity == 4) visit((first + 3 * length) ^ (edge & (length - 1)));
}

/// A slot's incidence counts its keys above the XOR of their indices in the shard.
constexpr unsigned kIndexBits = 21;
constexpr std::uint32_t kOneKey = 1U << kIndexBits;
/// A count that has this bit is near to running over.
constexpr std::uint32_t kCountLimit = 1U << 31;
static_assert(kMaxShardKeys < kOneKey);

/// Numbers of segments that are tried. Where a graph cannot be solved, that lies in part with the
/// first slots, which every seed gives to the keys alike; then there must be more of them.
constexpr unsigned kSizes = 8;

constexpr std::uint32_t kWindow = 256;
constexpr std::size_t kAhead = 8;

}  // namespace

template <typename Value>
template <unsigned kArity>
bool ShardBuilder<Value>::peel(std::span<const Hash128> keys, std::uint64_t starts, unsigned seed) {
  const std::uint64_t factor = seed_factor(seed);
  const std::uint64_t length = shape_.segment_slots();
  std::ranges::fill(incidence_, 0);
  std::uint32_t* const incidence = incidence_.data();
  std::uint64_t* const edges = edges_.data();
  std::uint32_t counts = 0;
  const bool by_first_halves = part_ == HashPart::first_half;
  std::size_t repeats = 0;  // of an edge with one value: once in the graph
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (by_first_halves && i != 0 && keys[i].hi == keys[i - 1].hi) [[unlikely]] {
      ++repeats;
      continue;
    }
    const std::uint64_t first = first_slot(keys[i], shape_.shard_bits, starts);
    const std::uint64_t edge = edge_of(first, (by_first_halves ? keys[i].hi : keys[i].lo) * factor);
    edges[i] = edge;
    each_slot<kArity>(edge, length, [&](std::uint64_t slot) {
      counts |= incidence[slot] = (incidence[slot] + kOneKey) ^ i;
    });
  }
  if ((counts & kCountLimit) != 0) return false;

  // Breadth first from a window of slots at a time: the next keys are known early enough to be
  // fetched.
  std::uint64_t* const queue = peeled_.data();
  std::size_t peeled = 0;
  std::size_t head = 0;
  std::size_t tail = 0;
  const auto enqueue_if_lonely = [&](std::uint64_t slot, std::uint32_t keys_here) {
    queue[tail] = slot << 32 | (keys_here & (kOneKey - 1));
    tail += keys_here >> kIndexBits == 1 ? 1 : 0;
  };
  for (std::uint64_t start = 0; start < incidence_.size(); start += kWindow) {
    const std::uint64_t end = std::min<std::uint64_t>(start + kWindow, incidence_.size());
    for (std::uint64_t slot = start; slot < end; ++slot) {
      enqueue_if_lonely(slot, incidence[slot]);
    }
    while (head != tail) {
      __builtin_prefetch(edges + static_cast<std::uint32_t>(queue[head + kAhead]));
      const std::uint64_t entry = queue[head++];
      if (incidence[entry >> 32] >> kIndexBits != 1) continue;
      queue[peeled++] = entry;
      const auto i = static_cast<std::uint32_t>(entry);
      each_slot<kArity>(edges[i], length, [&](std::uint64_t slot) {
        const std::uint32_t left = (incidence[slot] - kOneKey) ^ i;
        incidence[slot] = left;
        enqueue_if_lonely(slot, left);
      });
    }
  }
  peeled_count_ = peeled;
  return peeled == keys.size() - repeats;
}

template <typename Value>
template <unsigned kArity>
void ShardBuilder<Value>::assign(std::span<const Value> values) {
  const std::uint64_t length = shape_.segment_slots();
  std::ranges::fill(slots_, Value{0});
  Value* const slots = slots_.data();
  const std::uint64_t* const edges = edges_.data();
  const std::uint64_t* const peeled = peeled_.data();
  // From the last key peeled to the first: its slot is zero yet, and none of the others will
  // change.
  for (std::size_t k = peeled_count_; k-- != 0;) {
    const auto ahead = static_cast<std::uint32_t>(peeled[k < kAhead ? 0 : k - kAhead]);
    __builtin_prefetch(edges + ahead);
    __builtin_prefetch(values.data() + ahead);
    const auto i = static_cast<std::uint32_t>(peeled[k]);
    Value value = values[i];
    each_slot<kArity>(edges[i], length,
                      [&](std::uint64_t slot) { value = static_cast<Value>(value ^ slots[slot]); });
    slots[peeled[k] >> 32] = value;
  }
}

template <typename Value>
base::Bytes ShardBuilder<Value>::pack() const {
  base::Bytes bytes(slots_.size() / 8 * width_);
  std::byte* at = bytes.data();
  if (width_ == 8 * sizeof(Value)) {
    for (const Value value : slots_) {
      base::store_le(at, value);
      at += sizeof(Value);
    }
    return bytes;
  }
  // Slots come by multiples of eight, so every word but perhaps the last is full.
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (const std::uint64_t value : slots_) {
    word |= value << filled;
    filled += width_;
    if (filled < 64) continue;
    base::store_le(at, word);
    at += 8;
    filled -= 64;
    word = filled == 0 ? 0 : value >> (width_ - filled);
  }
  for (; filled != 0; filled -= 8, word >>= 8) *at++ = static_cast<std::byte>(word);
  return bytes;
}

template <typename Value>
std::optional<ShardImage> ShardBuilder<Value>::build(std::span<const Hash128> keys,
                                                     std::span<const Value> values,
                                                     std::uint64_t segments) {
  edges_.resize(std::max(edges_.size(), keys.size()));
  for (unsigned size = 0; size < kSizes; ++size, segments += base::div_ceil(segments, 32)) {
    const std::uint64_t starts = shape_.starts(segments);
    peeled_.resize(shape_.slots(segments) + kAhead);
    incidence_.resize(shape_.slots(segments));
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      if (!(shape_.arity == 3 ? peel<3>(keys, starts, seed) : peel<4>(keys, starts, seed))) {
        continue;
      }
      slots_.resize(shape_.slots(segments));
      shape_.arity == 3 ? assign<3>(values) : assign<4>(values);
      return ShardImage{seed, segments, pack()};
    }
  }
  return {};
}

template class ShardBuilder<std::uint8_t>;
template class ShardBuilder<std::uint16_t>;
template class ShardBuilder<std::uint32_t>;
template class ShardBuilder<std::uint64_t>;

}  // namespace crivo::fuse

namespace crivo::filter {

Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return {fuse::bits_per_key(n, bits, options.arity), fingerprint_fpr(n, bits)};
}

std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return fuse::plan(n, bits, options.arity, fingerprint_source(bits), fuse::HashPart::first_half);
}

}  // namespace crivo::filter
