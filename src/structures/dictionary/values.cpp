// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/values.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "structures/bits/packed.hpp"
#include "structures/dictionary/layout.hpp"

namespace crivo::dictionary {
Values::Values(const base::CheckedBytes& section, std::uint64_t keys, unsigned block_keys)
    : pages_(section.checks), keys_(keys), block_keys_(block_keys) {
  base::FieldReader fields(section, "the dictionary's values");
  const std::uint64_t blocks = base::div_ceil(keys, std::uint64_t{block_keys});
  if (blocks > section.bytes.size() / kValueHeadBytes) fields.fail("are too few");
  heads_ = fields.take(blocks * kValueHeadBytes);
  if (fields.remaining() < kValuePadding) fields.fail("are cut off");
  packed_ = fields.take(fields.remaining() - kValuePadding);
}

Values::Head Values::head(std::uint64_t block) const noexcept {
  const std::byte* const at = heads_.data() + block * kValueHeadBytes;
  const auto place = base::load_le<std::uint64_t>(at + sizeof(std::uint64_t));
  return {base::load_le<std::uint64_t>(at), place >> kValueWidthBits, static_cast<unsigned>(at[8])};
}

std::optional<std::uint64_t> Values::get(std::uint64_t id) const noexcept {
  if (id >= keys_) return std::nullopt;
  if (!pages_.touch(heads_.data() + id / block_keys_ * kValueHeadBytes, kValueHeadBytes))
    return std::nullopt;
  const Head block = head(id / block_keys_);
  if (block.width > kMostPackedBits && block.width != kWholeWordBits) return std::nullopt;
  const std::uint64_t bit = id % block_keys_ * block.width;
  const std::uint64_t bytes = base::div_ceil(bit + block.width, std::uint64_t{8});
  if (block.begin > packed_.size() || bytes > packed_.size() - block.begin) return std::nullopt;
  const std::byte* const at = packed_.data() + block.begin;
  if (!pages_.touch(at + bit / 8, bytes - bit / 8)) return std::nullopt;
  return block.least + (block.width == kWholeWordBits ? base::load_le<std::uint64_t>(at + bit / 8)
                                                      : bits::load_bits(at, bit, block.width));
}

void Values::get(std::span<const std::uint64_t> ids, std::span<std::uint64_t> values,
                 std::span<bool> present) const noexcept {
  constexpr std::size_t kIdsAtOnce = 16;
  for (std::size_t begin = 0; begin < ids.size(); begin += kIdsAtOnce) {
    const std::size_t end = std::min(begin + kIdsAtOnce, ids.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (ids[i] < keys_)
        base::prefetch_lines(heads_.data() + ids[i] / block_keys_ * kValueHeadBytes,
                             kValueHeadBytes);
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (ids[i] >= keys_) continue;
      const Head block = head(ids[i] / block_keys_);
      const std::uint64_t at = block.begin + ids[i] % block_keys_ * block.width / 8;
      if (at < packed_.size()) base::prefetch_lines(packed_.data() + at, 1);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<std::uint64_t> value = get(ids[i]);
      values[i] = value.value_or(0);
      present[i] = value.has_value();
    }
  }
}

}  // namespace crivo::dictionary
