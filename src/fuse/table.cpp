#include "fuse/table.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "fuse/graph.hpp"
#include "util/bits.hpp"

namespace crivo::fuse {
namespace {

constexpr std::size_t kBatch = 32;

}  // namespace

Table::Table(file::ByteView section) {
  const Header header = decode_header(section);
  n_ = header.n;
  width_ = header.width;
  arity_ = header.shape.arity;
  const file::ByteView body = section.subspan(kHeaderBytes);
  if (n_ < kSmallSetKeys) {
    const ribbon::Header small = ribbon::decode_header(body);
    if (small.n != n_ || small.width != width_) {
      file::FieldReader(section, "fuse section").fail("disagrees with its ribbon");
    }
    small_set_.emplace(small, body);
    return;
  }
  const Shape& shape = header.shape;
  kind_ = width_ == 8    ? Slots::u8
          : width_ == 16 ? Slots::u16
          : width_ == 32 ? Slots::u32
          : width_ == 64 ? Slots::u64
          : width_ <= 57 ? Slots::packed
                         : Slots::wide_packed;
  shard_bits_ = shape.shard_bits;
  segment_bits_ = shape.segment_bits;
  starts_ = shape.starts();
  shard_slots_ = shape.slots();

  file::FieldReader fields(body, "fuse section");
  // At most 2^48 slots a shard of at most 64 bits: no overflow before the shards are counted.
  const std::uint64_t shard_bits = shard_slots_ * width_;
  if (shard_bits % 8 != 0) fields.fail("has shards of no whole bytes");
  if (shard_bits / 8 > fields.remaining() >> shard_bits_) fields.fail("ends before its slots");
  slots_ = fields.take(shard_bits / 8 * shape.shards()).data();
  factors_.reserve(std::min<std::uint64_t>(shape.shards(), fields.remaining()));
  for (const std::byte seed : fields.take(shape.shards())) {
    if (std::to_integer<unsigned>(seed) >= kSeeds) fields.fail("has a seed out of range");
    factors_.push_back(seed_factor(std::to_integer<unsigned>(seed)));
  }
  fields.zeros(kEndPadding);
  fields.expect_end();
}

template <Table::Slots kSlots>
inline std::uint64_t Table::load(std::uint64_t slot) const noexcept {
  if constexpr (kSlots == Slots::u8) {
    return file::load_le<std::uint8_t>(slots_ + slot);
  } else if constexpr (kSlots == Slots::u16) {
    return file::load_le<std::uint16_t>(slots_ + 2 * slot);
  } else if constexpr (kSlots == Slots::u32) {
    return file::load_le<std::uint32_t>(slots_ + 4 * slot);
  } else if constexpr (kSlots == Slots::u64) {
    return file::load_le<std::uint64_t>(slots_ + 8 * slot);
  } else {
    const std::uint64_t bit = slot * width_;
    const std::byte* const at = slots_ + bit / 8;
    const unsigned shift = bit % 8;
    const std::uint64_t word = file::load_le<std::uint64_t>(at) >> shift;
    if constexpr (kSlots == Slots::packed) return word;
    return word | (std::to_integer<std::uint64_t>(at[8]) << 1) << (63 - shift);
  }
}

template <unsigned kArity, Table::Slots kSlots>
inline std::uint64_t Table::look_up(Hash128 hash) const noexcept {
  const std::uint64_t shard = util::top_bits(hash.hi, shard_bits_);
  const std::uint64_t base = shard * shard_slots_;
  const std::uint64_t first = first_slot(hash, shard_bits_, starts_);
  const std::uint64_t others = offsets(hash, factors_[shard]);
  std::uint64_t value = load<kSlots>(base + first);
  for (unsigned j = 1; j < kArity; ++j) {
    value ^= load<kSlots>(base + later_slot(first, others, j, segment_bits_));
  }
  return value & (~std::uint64_t{0} >> (64 - width_));
}

template <unsigned kArity, Table::Slots kSlots>
void Table::look_up(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  std::array<std::array<std::uint64_t, kArity>, kBatch> slots;
  while (!hashes.empty()) {
    const std::size_t count = std::min(kBatch, hashes.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t shard = util::top_bits(hashes[i].hi, shard_bits_);
      const std::uint64_t base = shard * shard_slots_;
      const std::uint64_t first = first_slot(hashes[i], shard_bits_, starts_);
      const std::uint64_t others = offsets(hashes[i], factors_[shard]);
      slots[i][0] = base + first;
      for (unsigned j = 1; j < kArity; ++j) {
        slots[i][j] = base + later_slot(first, others, j, segment_bits_);
      }
      for (const std::uint64_t slot : slots[i]) __builtin_prefetch(slots_ + slot * width_ / 8);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t value = 0;
      for (const std::uint64_t slot : slots[i]) value ^= load<kSlots>(slot);
      values[i] = value & (~std::uint64_t{0} >> (64 - width_));
    }
    hashes = hashes.subspan(count);
    values += count;
  }
}

template <typename Use>
inline auto Table::dispatch(Use&& use) const noexcept {
  const auto with = [&]<Slots kSlots>(std::integral_constant<Slots, kSlots> kind) {
    return arity_ == 4 ? use(std::integral_constant<unsigned, 4>{}, kind)
                       : use(std::integral_constant<unsigned, 3>{}, kind);
  };
  switch (kind_) {
    case Slots::u8:
      return with(std::integral_constant<Slots, Slots::u8>{});
    case Slots::u16:
      return with(std::integral_constant<Slots, Slots::u16>{});
    case Slots::u32:
      return with(std::integral_constant<Slots, Slots::u32>{});
    case Slots::u64:
      return with(std::integral_constant<Slots, Slots::u64>{});
    case Slots::packed:
      return with(std::integral_constant<Slots, Slots::packed>{});
    default:
      return with(std::integral_constant<Slots, Slots::wide_packed>{});
  }
}

std::uint64_t Table::value(Hash128 hash) const noexcept {
  if (small_set_) return small_set_->value(hash);
  return dispatch([&](auto arity, auto kind) { return look_up<arity(), kind()>(hash); });
}

void Table::values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  if (small_set_) {
    std::ranges::transform(hashes, values,
                           [this](Hash128 hash) { return small_set_->value(hash); });
    return;
  }
  dispatch([&](auto arity, auto kind) { look_up<arity(), kind()>(hashes, values); });
}

}  // namespace crivo::fuse
