/// The table of a kernel's searches, which is the same for every kernel but for what it points to.
#pragma once

#include <array>
#include <utility>

#include "mphf/kernel.hpp"

namespace crivo::mphf {

/// `Kernel::kSearch<families, keys>` is its Search for buckets of so many keys.
template <typename Kernel, unsigned kFamilies, unsigned... kSizes>
constexpr Searches searches_of(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, Kernel::template kSearch<kFamilies, kSizes + 1>...};
}

/// Null if there are none for this seed width.
template <typename Kernel>
const Searches* searches_of_width(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr std::array<Searches, 5> kFrom11{
      searches_of<Kernel, 8>(Sizes{}), searches_of<Kernel, 16>(Sizes{}),
      searches_of<Kernel, 32>(Sizes{}), searches_of<Kernel, 64>(Sizes{}),
      searches_of<Kernel, 128>(Sizes{})};
  return seed_bits - 11 < kFrom11.size() ? &kFrom11[seed_bits - 11] : nullptr;
}

}  // namespace crivo::mphf
