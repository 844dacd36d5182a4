// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/small_set.hpp"

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/parity.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {
namespace {

struct SmallRow {
  std::uint64_t start;
  std::uint64_t lower;  // coefficients 0 to 63
  std::uint64_t upper;  // coefficients 64 to 127
};

/// The row of a key: with fewer slots than a band is wide, all start at 0 and take what fits.
SmallRow small_row(Hash128 hash, unsigned seed, std::uint64_t slots) noexcept {
  const Hash128 key = seeded(hash, seed);
  SmallRow row{0, key.lo | 1, upper_coefficients(key)};
  if (slots >= kSmallBandBits) {
    row.start = row_start(key, slots - kSmallBandBits + 1);
  } else {
    if (slots < 64) row.lower &= (std::uint64_t{1} << slots) - 1;
    row.upper &= slots <= 64 ? 0 : (std::uint64_t{1} << (slots - 64)) - 1;
  }
  return row;
}

std::uint64_t column_bytes(std::uint64_t slots, unsigned width) noexcept {
  return bits::div_ceil(slots * width, 8);
}

/// Bit j * slots + i of the result is bit j of slot i.
base::Bytes columns_of(const std::uint64_t* solution, std::uint64_t slots, unsigned width) {
  base::Bytes columns(column_bytes(slots, width));
  std::uint64_t at = 0;
  for (unsigned column = 0; column < width; ++column) {
    for (std::uint64_t slot = 0; slot < slots; ++slot, ++at) {
      columns[at / 8] |= static_cast<std::byte>(((solution[slot] >> column) & 1) << (at % 8));
    }
  }
  return columns;
}

}  // namespace

base::Bytes build_small_set(std::span<const Hash128> keys, std::span<const std::uint64_t> values,
                            unsigned width) {
  const std::uint64_t slots = small_slots(keys.size());
  for (unsigned seed = 0; seed < kSmallSetSeeds; ++seed) {
    Band<Uint128, std::uint64_t> band(slots);
    std::size_t inserted = 0;
    while (inserted < keys.size()) {
      const SmallRow row = small_row(keys[inserted], seed, slots);
      const Uint128 bits = Uint128{row.upper} << 64 | row.lower;
      if (!band.insert(row.start, bits, values[inserted])) break;
      ++inserted;
    }
    if (inserted < keys.size()) continue;
    band.solve();
    base::FieldWriter section;
    section.bytes(encode({Layout::blocks_of_64, width, seed, keys.size()}));
    section.bytes(columns_of(band.values(), slots, width)).zeros(kSmallPadding);
    return section.take();
  }
  throw Error(ErrorKind::bad_input,
              "the hashes of the keys are not random enough for a ribbon; build with another seed",
              {.remedy = "keyed_hash"});
}

SmallSet::SmallSet(const Header& header, base::ByteView section)
    : slots_(small_slots(header.n)), width_(header.width.bits), seed_(header.seed) {
  base::FieldReader fields(section, "ribbon section");
  fields.take(kHeaderBytes);
  columns_ = fields.take(column_bytes(slots_, width_)).data();
  fields.zeros(kSmallPadding);
  fields.expect_end();
}

std::uint64_t SmallSet::value(Hash128 hash) const noexcept {
  const SmallRow row = small_row(hash, seed_, slots_);
  std::uint64_t value = 0;
  std::uint64_t bit = row.start;
  for (unsigned column = 0; column < width_; column += 8) {
    std::uint64_t words[8] = {};
    for (unsigned j = 0; j < 8 && column + j < width_; ++j, bit += slots_) {
      const std::byte* at = columns_ + bit / 8;
      const unsigned shift = bit % 8;
      const auto low = base::load_le<std::uint64_t>(at);
      const auto high = base::load_le<std::uint64_t>(at + 8);
      const auto last = std::to_integer<std::uint64_t>(at[16]);
      words[j] = ((low >> shift | (high << 1) << (63 - shift)) & row.lower) ^
                 ((high >> shift | (last << 1) << (63 - shift)) & row.upper);
    }
    value |= parities(words) << column;
  }
  return value;
}

}  // namespace crivo::ribbon
