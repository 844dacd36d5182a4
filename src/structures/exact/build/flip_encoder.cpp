// SPDX-License-Identifier: Apache-2.0
/// The writer's side of flip lists: salts are searched for, a block at a time.
#include "structures/exact/build/flip_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo::exact {
namespace {

/// Keys of the universe in a cell, on average from half of it on. More would make the gaps shorter
/// and the search longer.
constexpr std::uint64_t kCellKeys = 12;
/// About as many bits a salt may take: a search has 2^17 trials, or far fewer. With 14 a flip
/// of a group of many keys would take half a bit more.
constexpr double kSaltBits = 17;

constexpr unsigned kMostRice = 24;

class BitWriter {
 public:
  void put(std::uint64_t field, unsigned count) {
    for (unsigned i = 0; i < count; ++i) put_bit((field >> i & 1) != 0);
  }
  void put_zeros(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) put_bit(false);
    put_bit(true);
  }
  void put_gamma(std::uint64_t number) {
    const auto bits = static_cast<unsigned>(std::bit_width(number)) - 1;
    put_zeros(bits);
    put(number & ((std::uint64_t{1} << bits) - 1), bits);
  }
  base::Bytes take() { return std::move(bytes_); }

 private:
  void put_bit(bool bit) {
    if (at_ % 8 == 0) bytes_.push_back(std::byte{0});
    if (bit) bytes_.back() |= std::byte{1} << (at_ % 8);
    ++at_;
  }
  base::Bytes bytes_;
  std::uint64_t at_ = 0;
};

/// A flip's second half, and that of a key that must not be taken for it.
struct Rivals {
  std::uint64_t flip;
  std::uint64_t other;
};

struct Chosen {
  unsigned tag_bits = 1;
  std::uint64_t salt = 0;
};

std::uint64_t first_salt(std::span<const Rivals> rivals, unsigned tag_bits, std::uint64_t most) {
  for (std::uint64_t salt = 0; salt < most; ++salt) {
    const std::uint64_t factor = factor_of(salt);
    const bool fits = std::ranges::none_of(rivals, [&](const Rivals& two) {
      return flip_tag(two.flip, factor, tag_bits) == flip_tag(two.other, factor, tag_bits);
    });
    if (fits) return salt;
  }
  return most;
}

Chosen choose_salt(std::span<const Rivals> rivals) {
  if (rivals.empty()) return {};
  const auto needs = [&](unsigned bits) {
    return -static_cast<double>(rivals.size()) *
           std::log2(1 - std::ldexp(1, -static_cast<int>(bits)));
  };
  unsigned tag_bits = 1;
  while (tag_bits < kMostTagBits && needs(tag_bits) > kSaltBits) ++tag_bits;
  for (; tag_bits <= kMostTagBits; ++tag_bits) {
    constexpr std::uint64_t kTrials = std::uint64_t{1} << 20;
    const std::uint64_t most = tag_bits == kMostTagBits ? kMostSalt + 1 : kTrials;
    const std::uint64_t salt = first_salt(rivals, tag_bits, most);
    if (salt != most) return {tag_bits, salt};
  }
  throw Error(ErrorKind::bad_input,
              "two keys of the universe cannot be told apart; build a new base, with another seed");
}

/// The widths that blocks share.
struct Widths {
  unsigned tag_bits = 0;   ///< the least
  unsigned salt_rice = 0;  ///< the Rice parameter of salts
};

Widths widths_of(std::span<const Chosen> blocks) {
  Widths widths{.tag_bits = kMostTagBits};
  for (const Chosen& block : blocks) widths.tag_bits = std::min(widths.tag_bits, block.tag_bits);
  std::uint64_t least = UINT64_MAX;
  for (unsigned rice = 0; rice <= kMostRice; ++rice) {
    std::uint64_t bits = 0;
    for (const Chosen& block : blocks) bits += (block.salt >> rice) + 1 + rice;
    if (bits >= least) continue;
    least = bits;
    widths.salt_rice = rice;
  }
  return widths;
}

/// The keys of the universe in the cells of some flips, which are not these themselves.
std::vector<Rivals> rivals_of(std::span<const GroupedKey> flips, std::span<const GroupedKey> others,
                              std::span<const unsigned> cell_bits) {
  std::vector<Rivals> rivals;
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const GroupedKey& flip = flips[i];
    const std::uint64_t cell = base::top_bits(flip.hash.hi, cell_bits[i]);
    const std::uint64_t first = cell_bits[i] == 0 ? 0 : cell << (64 - cell_bits[i]);
    const auto begin = std::ranges::lower_bound(others, GroupedKey{flip.group, {first, 0}});
    for (auto at = begin; at != others.end() && at->group == flip.group &&
                          base::top_bits(at->hash.hi, cell_bits[i]) == cell;
         ++at) {
      if (at->hash != flip.hash) rivals.push_back({flip.hash.lo, at->hash.lo});
    }
  }
  return rivals;
}

}  // namespace

unsigned cell_bits_for(std::uint64_t keys, std::uint64_t flips) noexcept {
  const std::uint64_t most = std::max(keys, flips);
  unsigned bits = 0;
  while (bits < kMostCellBits && most >> bits >= kCellKeys) ++bits;
  return bits;
}

base::Bytes encode_flips(std::span<const GroupedKey> flips, std::span<const GroupedKey> others,
                         std::span<const FlipGroup> groups, unsigned threads) {
  BitWriter out;
  std::vector<unsigned> cell_bits;
  std::vector<unsigned> rices;
  cell_bits.reserve(flips.size());
  std::uint64_t next = 0;
  for (const FlipGroup& group : groups) {
    out.put_gamma(group.number + 1 - next);
    out.put_gamma(group.flips);
    out.put(group.cell_bits, 6);
    next = group.number + 1;
    cell_bits.insert(cell_bits.end(), group.flips, group.cell_bits);
    rices.insert(rices.end(), group.flips, rice_bits(group));
  }
  std::vector<Chosen> chosen(base::div_ceil(flips.size(), kFlipBlock));
  const auto block_of = [&](std::uint64_t block) {
    return std::pair(block * kFlipBlock,
                     std::min<std::uint64_t>(kFlipBlock, flips.size() - block * kFlipBlock));
  };
  base::parallel_for(threads, chosen.size(), [&](std::uint64_t block) {
    const auto [begin, count] = block_of(block);
    chosen[block] =
        choose_salt(rivals_of(flips.subspan(begin, count), others,
                              std::span<const unsigned>(cell_bits).subspan(begin, count)));
  });
  const Widths widths = widths_of(chosen);
  if (!flips.empty()) {
    out.put(widths.tag_bits, 4);
    out.put(widths.salt_rice, 5);
  }
  std::uint64_t cell = 0;
  for (std::uint64_t i = 0; i < flips.size(); ++i) {
    const Chosen& block = chosen[i / kFlipBlock];
    if (i % kFlipBlock == 0) {
      out.put_zeros(block.tag_bits - widths.tag_bits);
      out.put_zeros(block.salt >> widths.salt_rice);
      out.put(block.salt, widths.salt_rice);
    }
    if (i == 0 || flips[i].group != flips[i - 1].group) cell = 0;
    const std::uint64_t mine = base::top_bits(flips[i].hash.hi, cell_bits[i]);
    out.put_zeros((mine - cell) >> rices[i]);
    out.put(mine - cell, rices[i]);
    out.put(flip_tag(flips[i].hash.lo, factor_of(block.salt), block.tag_bits), block.tag_bits);
    cell = mine;
  }
  return out.take();
}

}  // namespace crivo::exact
