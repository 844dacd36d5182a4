// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/table.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/arithmetic.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::fuse {
namespace {

constexpr std::size_t kBatch = 32;

/// The bytes touched of a slot: one that shares no byte with others lies in one page.
constexpr std::uint64_t touched_bytes(Slots slots) noexcept {
  return slots == Slots::packed ? 8 : slots == Slots::wide_packed ? 9 : 1;
}

}  // namespace

template <unsigned kArity, Slots kSlots>
struct Table::Kernel {
  static constexpr bool kMayBeFilter = kSlots != Slots::u64 && kSlots != Slots::wide_packed;

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

  static constexpr std::uint64_t kTouchedBytes = touched_bytes(kSlots);

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
    const detail::FuseShape shape = table.shape_;
    shape.each_slot<kArity>(hash.hi, hash.lo,
                            [&](std::uint64_t slot) { visit(place(table, slot)); });
  }

  static std::uint64_t value(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
    const auto& table = *static_cast<const Table*>(of);
    std::uint64_t value = 0;
    const base::PageChecks* const checks = table.pages_.checks();
    std::uint64_t are_compared = 1;  // by one branch for all slots
    each_place(table, {hi, lo}, [&](std::uint64_t place) {
      value ^= load(table, place);
      if (checks == nullptr) return;
      const std::byte* const at = address(table, place);
      are_compared &= checks->compared_bit(at) & checks->compared_bit(at + kTouchedBytes - 1);
    });
    if (are_compared == 0) [[unlikely]]
      table.touch({hi, lo}, kArity, kTouchedBytes);
    return value & table.value_mask_;
  }

  static bool contains(const void* of, std::uint64_t hi, std::uint64_t) noexcept {
    const auto& table = *static_cast<const Table*>(of);
    return value(of, hi, hi) == (detail::fingerprint(hi) & table.value_mask_);
  }

  /// Calls take(i, sum) for the sum of the slots of hash_at(i), of which the lowest bits count,
  /// some keys after their slots were asked for.
  template <typename HashAt, typename Take>
  [[gnu::always_inline]] static inline void each_sum(const Table& table, std::size_t count,
                                                     HashAt&& hash_at, Take&& take) noexcept {
    std::array<std::uint64_t, kBatch * kArity> places;
    for (std::size_t begin = 0; begin < count; begin += kBatch) {
      const std::size_t last = std::min(begin + kBatch, count);
      std::uint64_t* end = places.data();
      for (std::size_t i = begin; i < last; ++i) {
        each_place(table, hash_at(i), [&](std::uint64_t place) {
          __builtin_prefetch(address(table, place));
          table.pages_.touch(address(table, place), kTouchedBytes);
          *end++ = place;
        });
      }
      const std::uint64_t* at = places.data();
      for (std::size_t i = begin; i < last; ++i) {
        std::uint64_t sum = 0;
        for (unsigned j = 0; j < kArity; ++j) sum ^= load(table, *at++);
        take(i, sum);
      }
    }
  }

  static void values(const Table& table, std::span<const Hash128> hashes,
                     std::uint64_t* values) noexcept {
    each_sum(
        table, hashes.size(), [&](std::size_t i) { return hashes[i]; },
        [&](std::size_t i, std::uint64_t sum) { values[i] = sum & table.value_mask_; });
  }

  static void contains_all(const Table& table, std::span<const Hash128> hashes,
                           bool* answers) noexcept {
    const std::uint64_t mask = table.value_mask_;
    each_sum(
        table, hashes.size(), [&](std::size_t i) { return ribbon::of_filter(hashes[i]); },
        [&](std::size_t i, std::uint64_t sum) {
          answers[i] = ((sum ^ detail::fingerprint(hashes[i].hi)) & mask) == 0;
        });
  }
};

void Table::touch(Hash128 hash, unsigned arity, std::uint64_t bytes) const noexcept {
  const auto touch_slot = [&](std::uint64_t slot) {
    pages_.touch(slots_ + width_ * slot / 8, bytes);
  };
  arity == 3 ? shape_.each_slot<3>(hash.hi, hash.lo, touch_slot)
             : shape_.each_slot<4>(hash.hi, hash.lo, touch_slot);
}

template <typename Lookups>
void Table::use() noexcept {
  value_ = Lookups::value;
  values_ = Lookups::values;
  if constexpr (Lookups::kMayBeFilter) {
    contains_ = Lookups::contains;
    contains_all_ = Lookups::contains_all;
  }
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
  static constexpr bool kMayBeFilter = true;

  static std::uint64_t value(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
    return static_cast<const Table*>(of)->small_set_->value({hi, lo});
  }
  static void values(const Table& table, std::span<const Hash128> hashes,
                     std::uint64_t* values) noexcept {
    table.small_set_->values(hashes, values);
  }
  static bool contains(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
    return static_cast<const Table*>(of)->small_set_->contains({hi, lo});
  }
  static void contains_all(const Table& table, std::span<const Hash128> hashes,
                           bool* answers) noexcept {
    table.small_set_->contains(hashes, answers);
  }
};

Table::Table(const base::CheckedBytes& section, HashPart part) : pages_(section.checks) {
  const Header header = decode_header(section);
  const Shape& shape = header.shape;
  n_ = header.n;
  width_ = header.width;
  const base::CheckedBytes body = section.subspan(kHeaderBytes);
  if (n_ < kSmallSetKeys) {
    small_set_ = std::make_unique<const ribbon::Table>(body, part);
    const ribbon::Header small = ribbon::decode_header(body, part);
    if (small.n != n_ || small.width.bits != width_ || small.width.narrow != 0) {
      base::FieldReader(section, "fuse section").fail("disagrees with its ribbon");
    }
    use<SmallKernel>();
    return;
  }
  value_mask_ = ~std::uint64_t{0} >> (64 - width_);

  const std::uint64_t table_bytes = kTableEntryBytes << shape.shard_bits;
  base::FieldReader fields(body, "fuse section");
  if (fields.remaining() < table_bytes + kEndPadding) fields.fail("ends before its slots");
  const base::ByteView slots = fields.take(fields.remaining() - table_bytes - kEndPadding);
  slots_ = slots.data();
  shards_.reserve(shape.shards());
  std::uint64_t before = 0;  // at most 8 a byte, so nothing that is added to it runs over
  for (std::uint64_t i = 0; i < shape.shards(); ++i) {
    const std::uint32_t entry = fields.u32();
    const unsigned seed = entry & (kApart - 1);
    const std::uint64_t segments = entry >> 8;
    if ((entry & kApart) != 0) before = base::align_up(before, kApartSlots);
    if (seed >= kSeeds) fields.fail("has a seed out of range");
    if (segments < shape.arity) fields.fail("has a shard of too few segments");
    shards_.push_back({before, shape.starts(segments), seed_factor(seed)});
    before += shape.slots(segments);
    if (before > 8 * slots.size() / width_) fields.fail("ends before its slots");
  }
  if (before / 8 * width_ != slots.size()) fields.fail("is longer than its slots");
  fields.zeros(kEndPadding);
  fields.expect_end();
  shape_ = {shards_.data(), shape.shards(), shape.arity, shape.segment_slots()};
  shape.arity == 3 ? use_kernel<3>() : use_kernel<4>();
}

detail::FilterLookup Table::lookup() const noexcept {
  using Form = detail::FilterLookup::Form;
  if (small_set_ != nullptr) return small_set_->lookup();
  if (width_ == 8) {
    return {.form = shape_.arity == 4 ? Form::fuse_4 : Form::fuse_3,
            .fuse_bytes = slots_,
            .fuse = shape_};
  }
  return {.form = Form::first_half, .call = contains_, .filter = this};
}

base::Bytes encode(const Header& header) {
  const bool small = header.n < kSmallSetKeys;
  base::FieldWriter fields;
  fields.u8(static_cast<std::uint8_t>(header.width));
  fields.u8(static_cast<std::uint8_t>(header.shape.arity));
  fields.u8(static_cast<std::uint8_t>(small ? 0 : header.shape.shard_bits));
  fields.u8(static_cast<std::uint8_t>(small ? 0 : header.shape.segment_bits));
  fields.zeros(4);
  fields.u64(header.n);
  return fields.align(kHeaderBytes).take();
}

Header decode_header(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "fuse section");
  Header header{};
  Shape& shape = header.shape;
  header.width = fields.u8();
  shape.arity = fields.u8();
  shape.shard_bits = fields.u8();
  shape.segment_bits = fields.u8();
  fields.zeros(4);
  header.n = fields.u64();
  fields.align(kHeaderBytes);
  if (header.width < 1 || header.width > 64) fields.fail("has a value width that is not 1 to 64");
  if (shape.arity != 3 && shape.arity != 4) fields.fail("has an arity that is not 3 or 4");
  if (header.n < kSmallSetKeys) {
    if (shape.shard_bits != 0 || shape.segment_bits != 0) {
      fields.fail("has shards for fewer keys than they are for");
    }
  } else if (shape.shard_bits > kMaxShardBits || shape.segment_bits < kMinSegmentBits ||
             shape.segment_bits > kMaxSegmentBits) {
    fields.fail("has shards of a shape that cannot be");
  }
  return header;
}

}  // namespace crivo::fuse

namespace crivo::filter {

std::unique_ptr<const Membership> open_fuse(base::ByteView section) {
  return std::make_unique<FingerprintFilter<fuse::Table>>(
      fuse::Table(section, fuse::HashPart::first_half));
}

}  // namespace crivo::filter
