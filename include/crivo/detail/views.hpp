// SPDX-License-Identifier: Apache-2.0
/// Batches over ranges that are no arrays of std::string_view. Not an interface.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

namespace crivo::detail {

/// What a batch takes beside arrays of views: any range of what turns into a std::string_view, and
/// stays where it is for the time of the call.
template <typename T>
concept TextRange = std::ranges::input_range<const T> &&
    std::convertible_to<std::ranges::range_reference_t<const T>, std::string_view> &&
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<const T>> ||
     std::is_trivially_copyable_v<std::ranges::range_value_t<const T>>)&&!std::
        convertible_to<const T&, std::span<const std::string_view>>;

/// Calls use(views, begin) for some hundred of the texts at a time, in order; at most `most` in
/// all.
template <typename Texts, typename Use>
void for_each_view_block(const Texts& texts, std::size_t most, Use&& use) {
  std::array<std::string_view, 512> views;
  std::size_t begin = 0;
  auto at = std::ranges::begin(texts);
  const auto end = std::ranges::end(texts);
  while (begin < most && at != end) {
    const std::size_t room = std::min(views.size(), most - begin);
    std::size_t size = 0;
    for (; size < room && at != end; ++at) views[size++] = *at;
    use(std::span<const std::string_view>(views).first(size), begin);
    begin += size;
  }
}

}  // namespace crivo::detail
