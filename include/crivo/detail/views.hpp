// SPDX-License-Identifier: Apache-2.0
/// Checks of all batches, and those over ranges that are not arrays of std::string_view. Not an
/// interface.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include "crivo/detail/export.hpp"

namespace crivo::detail {

[[noreturn]] CRIVO_API void fail_batch(std::size_t keys, std::size_t places);

/// Throws Error(usage) unless a batch has exactly one place for each of its keys: a call that
/// forgets some would leave answers as they were before, which look like answers.
inline void check_batch(std::size_t keys, std::size_t places) {
  if (keys != places) [[unlikely]]
    fail_batch(keys, places);
}

/// Names what a batch takes beside arrays of views: any range of what turns into a
/// std::string_view, and stays where it is for the time of the call.
template <typename T>
concept TextRange = std::ranges::forward_range<const T> &&
    std::convertible_to<std::ranges::range_reference_t<const T>, std::string_view> &&
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<const T>> ||
     std::is_trivially_copyable_v<std::ranges::range_value_t<const T>>)&&!std::
        convertible_to<const T&, std::span<const std::string_view>>;

/// How many there are.
template <typename Texts>
std::size_t count_texts(const Texts& texts) {
  return static_cast<std::size_t>(std::ranges::distance(texts));
}

/// Calls use(views, begin) for some hundred of the texts at a time, in order.
template <typename Texts, typename Use>
void for_each_view_block(const Texts& texts, Use&& use) {
  std::array<std::string_view, 512> views;
  std::size_t begin = 0;
  auto at = std::ranges::begin(texts);
  const auto end = std::ranges::end(texts);
  while (at != end) {
    std::size_t size = 0;
    for (; size < views.size() && at != end; ++at) views[size++] = *at;
    use(std::span<const std::string_view>(views).first(size), begin);
    begin += size;
  }
}

}  // namespace crivo::detail
