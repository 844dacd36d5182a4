// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/block.hpp"

#include <algorithm>
#include <numeric>

#include "base/arithmetic.hpp"

namespace crivo::dictionary {

void BlockHead::write(base::Bytes& to) const {
  base::FieldWriter fields;
  if (wide) {
    fields.u8(0).u8(kWide).u16(0);
    fields.u32(least_shared).u32(least_tokens).u32(first_tokens);
    fields.u8(static_cast<std::uint8_t>(shared_bits))
        .u8(static_cast<std::uint8_t>(token_count_bits));
    fields.u16(0);
  } else {
    fields.u8(static_cast<std::uint8_t>(least_shared));
    fields.u8(static_cast<std::uint8_t>(shared_bits | token_count_bits << 4));
    fields.u8(static_cast<std::uint8_t>(least_tokens)).u8(static_cast<std::uint8_t>(first_tokens));
  }
  to.insert(to.end(), fields.view().begin(), fields.view().end());
}

bool Block::open(base::ByteView bytes, unsigned keys, unsigned token_bits) noexcept {
  if (bytes.size() < BlockHead::kNarrowBytes) return false;
  const std::byte* const at = bytes.data();
  const auto widths = static_cast<unsigned>(at[1]);
  keys_ = keys;
  const bool wide = widths == BlockHead::kWide;
  std::size_t size = BlockHead::kNarrowBytes;
  if (wide) {
    size = BlockHead::kWideBytes;
    if (bytes.size() < size) return false;
    head_ = {base::load_le<std::uint32_t>(at + 4),  base::load_le<std::uint32_t>(at + 8),
             base::load_le<std::uint32_t>(at + 12), static_cast<unsigned>(at[16]),
             static_cast<unsigned>(at[17]),         true};
    for (const std::size_t zero : {0, 2, 3, 18, 19}) {
      if (at[zero] != std::byte{0}) return false;
    }
    if (head_.shared_bits > BlockHead::kMostWideBits ||
        head_.token_count_bits > BlockHead::kMostWideBits)
      return false;
  } else {
    head_ = {static_cast<std::uint32_t>(at[0]),
             static_cast<std::uint32_t>(at[2]),
             static_cast<std::uint32_t>(at[3]),
             widths & 15,
             widths >> 4,
             false};
    if (head_.shared_bits > 8 || head_.token_count_bits > 8) return false;
  }
  columns_ = at + size;
  const std::size_t bits =
      std::size_t{head_.shared_bits + head_.token_count_bits} * (keys - std::size_t{1});
  size += base::div_ceil(bits, std::size_t{8});
  if (size > bytes.size()) return false;
  tokens_ = at + size;
  capacity_ = (bytes.size() - size) * 8 / token_bits;
  return true;
}

std::size_t BlockEncoder::write_front(base::Bytes& to) {
  constexpr std::uint32_t kMostNarrow = 0xff;
  BlockHead head;
  head.first_tokens = counts_.front();
  const auto frame = [](const std::vector<std::uint32_t>& all, std::uint32_t& least,
                        unsigned& bits) {
    if (all.size() < 2) return false;
    const auto [low, high] = std::minmax_element(all.begin() + 1, all.end());
    least = *low;
    bits = static_cast<unsigned>(std::bit_width(*high - *low));
    return *high > kMostNarrow;
  };
  const bool is_shared_wide = frame(shared_, head.least_shared, head.shared_bits);
  const bool is_count_wide = frame(counts_, head.least_tokens, head.token_count_bits);
  head.wide = is_shared_wide || is_count_wide || head.first_tokens > kMostNarrow;
  head.write(to);
  const auto bytes_of = [](std::size_t bits) { return base::div_ceil(bits, std::size_t{8}); };
  const std::size_t others = keys() - 1;
  const std::size_t columns =
      bytes_of((std::size_t{head.shared_bits} + head.token_count_bits) * others);
  const std::size_t begin = to.size();
  to.resize(begin + columns);
  bits::PackedWriter column(to.data() + begin);
  for (std::size_t i = 1; i <= others; ++i)
    column.put(shared_[i] - head.least_shared, head.shared_bits);
  for (std::size_t i = 1; i <= others; ++i)
    column.put(counts_[i] - head.least_tokens, head.token_count_bits);
  column.finish();
  const std::size_t tokens = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
  shared_.clear();
  counts_.clear();
  return tokens;
}

void BlockEncoder::finish(base::Bytes& to) {
  write_front(to);
  const std::size_t begin = to.size();
  to.resize(begin + base::div_ceil(tokens_.size() * token_bits_, std::size_t{8}));
  bits::PackedWriter tokens(to.data() + begin);
  for (const std::uint16_t token : tokens_) tokens.put(token, token_bits_);
  tokens.finish();
  tokens_.clear();
}

}  // namespace crivo::dictionary
