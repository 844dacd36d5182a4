#include "structures/fuse/table.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "bits/arithmetic.hpp"
#include "structures/fuse/graph.hpp"

namespace crivo::fuse {
namespace {

constexpr std::size_t kBatch = 32;

}  // namespace

template <unsigned kArity, Slots kSlots>
struct Table::Kernel {
  /// Where a slot begins: its byte, or if slots share bytes, its bit.
  static std::uint64_t place(const Table& table, std::uint64_t slot) noexcept {
    switch (kSlots) {
      case Slots::u8:
        return slot;
      case Slots::u16:
        return 2 * slot;
      case Slots::u32:
        return 4 * slot;
      case Slots::u64:
        return 8 * slot;
      default:
        return table.width_ * slot;
    }
  }

  static const std::byte* address(const Table& table, std::uint64_t place) noexcept {
    return table.slots_ + (kSlots >= Slots::packed ? place / 8 : place);
  }

  static std::uint64_t load(const Table& table, std::uint64_t place) noexcept {
    const std::byte* const at = address(table, place);
    if constexpr (kSlots == Slots::u8) {
      return base::load_le<std::uint8_t>(at);
    } else if constexpr (kSlots == Slots::u16) {
      return base::load_le<std::uint16_t>(at);
    } else if constexpr (kSlots == Slots::u32) {
      return base::load_le<std::uint32_t>(at);
    } else if constexpr (kSlots == Slots::u64) {
      return base::load_le<std::uint64_t>(at);
    } else {
      const unsigned shift = place % 8;
      const std::uint64_t word = base::load_le<std::uint64_t>(at) >> shift;
      if constexpr (kSlots == Slots::packed) return word;
      return word | (std::to_integer<std::uint64_t>(at[8]) << 1) << (63 - shift);
    }
  }

  /// Calls `visit` with the place of each of the key's slots.
  template <typename Visit>
  static void each_place(const Table& table, Hash128 hash, Visit&& visit) noexcept {
    const Shard& shard = table.shards_[bits::top_bits(hash.hi, table.shard_bits_)];
    const std::uint64_t first = shard.slots + first_slot(hash, table.shard_bits_, shard.starts);
    const std::uint64_t others = offsets(hash, shard.factor);
    visit(place(table, first));
    for (unsigned j = 1; j < kArity; ++j) {
      visit(place(table, later_slot(first, others, j, table.segment_slots_)));
    }
  }

  static std::uint64_t value(const Table& table, Hash128 hash) noexcept {
    std::uint64_t value = 0;
    each_place(table, hash, [&](std::uint64_t place) { value ^= load(table, place); });
    return value & table.value_mask_;
  }

  static void values(const Table& table, std::span<const Hash128> hashes,
                     std::uint64_t* values) noexcept {
    std::array<std::uint64_t, kBatch * kArity> places;
    while (!hashes.empty()) {
      const std::size_t count = std::min(kBatch, hashes.size());
      std::uint64_t* end = places.data();
      for (const Hash128 hash : hashes.first(count)) {
        each_place(table, hash, [&](std::uint64_t place) {
          __builtin_prefetch(address(table, place));
          *end++ = place;
        });
      }
      const std::uint64_t* at = places.data();
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t value = 0;
        for (unsigned j = 0; j < kArity; ++j) value ^= load(table, *at++);
        values[i] = value & table.value_mask_;
      }
      hashes = hashes.subspan(count);
      values += count;
    }
  }
};

template <typename Lookups>
void Table::use() noexcept {
  value_ = Lookups::value;
  values_ = Lookups::values;
}

template <unsigned kArity>
void Table::use_kernel() noexcept {
  switch (width_) {
    case 8:
      return use<Kernel<kArity, Slots::u8>>();
    case 16:
      return use<Kernel<kArity, Slots::u16>>();
    case 32:
      return use<Kernel<kArity, Slots::u32>>();
    case 64:
      return use<Kernel<kArity, Slots::u64>>();
    default:
      // Up to seven bits before the slot come with it.
      return width_ <= 57 ? use<Kernel<kArity, Slots::packed>>()
                          : use<Kernel<kArity, Slots::wide_packed>>();
  }
}

struct Table::SmallKernel {
  static std::uint64_t value(const Table& table, Hash128 hash) noexcept {
    return table.small_set_->value(hash);
  }
  static void values(const Table& table, std::span<const Hash128> hashes,
                     std::uint64_t* values) noexcept {
    std::ranges::transform(hashes, values,
                           [&](Hash128 hash) { return table.small_set_->value(hash); });
  }
};

Table::Table(base::ByteView section) {
  const Header header = decode_header(section);
  const Shape& shape = header.shape;
  n_ = header.n;
  width_ = header.width;
  const base::ByteView body = section.subspan(kHeaderBytes);
  if (n_ < kSmallSetKeys) {
    const ribbon::Header small = ribbon::decode_header(body, ribbon::Layout::blocks_of_64);
    if (small.n != n_ || small.width != width_) {
      base::FieldReader(section, "fuse section").fail("disagrees with its ribbon");
    }
    small_set_ = std::make_unique<const ribbon::SmallSet>(small, body);
    use<SmallKernel>();
    return;
  }
  shard_bits_ = shape.shard_bits;
  value_mask_ = ~std::uint64_t{0} >> (64 - width_);
  segment_slots_ = shape.segment_slots();

  const std::uint64_t table_bytes = kTableEntryBytes << shard_bits_;
  base::FieldReader fields(body, "fuse section");
  if (body.size() < table_bytes + kEndPadding) fields.fail("ends before its slots");
  const base::ByteView slots = fields.take(body.size() - table_bytes - kEndPadding);
  slots_ = slots.data();
  shards_.reserve(shape.shards());
  std::uint64_t before = 0;  // at most 8 a byte, so nothing that is added to it runs over
  for (std::uint64_t i = 0; i < shape.shards(); ++i) {
    const std::uint32_t entry = fields.u32();
    const unsigned seed = entry & 0xff;
    const std::uint64_t segments = entry >> 8;
    if (seed >= kSeeds) fields.fail("has a seed out of range");
    if (segments < shape.arity) fields.fail("has a shard of too few segments");
    shards_.push_back({before, shape.starts(segments), seed_factor(seed)});
    before += shape.slots(segments);
    if (before > 8 * slots.size() / width_) fields.fail("ends before its slots");
  }
  if (before / 8 * width_ != slots.size()) fields.fail("is longer than its slots");
  fields.zeros(kEndPadding);
  fields.expect_end();
  shape.arity == 3 ? use_kernel<3>() : use_kernel<4>();
}

}  // namespace crivo::fuse
