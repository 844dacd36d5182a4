/// Keys as C hands them over, for batches and for builds.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo.h"

namespace crivo::capi {

inline std::string_view text_of(const void* data, std::size_t size) noexcept {
  return {static_cast<const char*>(data), size};
}

/// Calls use(at), where at(i) is key i: of any layout but CRIVO_NUMBERS a std::string_view.
template <typename Use>
decltype(auto) with_layout(const crivo_keys& keys, Use&& use) {
  switch (keys.layout) {
    case CRIVO_OFFSETS:
      return use([&keys](std::size_t i) {
        return text_of(static_cast<const char*>(keys.data) + keys.offsets[i],
                       static_cast<std::size_t>(keys.offsets[i + 1] - keys.offsets[i]));
      });
    case CRIVO_FIXED:
      return use([&keys](std::size_t i) {
        return text_of(static_cast<const char*>(keys.data) + i * keys.width, keys.width);
      });
    case CRIVO_NUMBERS:
      return use(
          [&keys](std::size_t i) { return static_cast<const std::uint64_t*>(keys.data)[i]; });
    case CRIVO_EACH:
      break;
  }
  return use([&keys](std::size_t i) {
    const crivo_bytes& key = static_cast<const crivo_bytes*>(keys.data)[i];
    return text_of(key.data, key.size);
  });
}

/// Calls use(block, begin) for spans of the keys, in order: as numbers, or some hundred texts at a
/// time.
template <typename Use>
void for_each_block(const crivo_keys& keys, Use&& use) {
  if (keys.layout == CRIVO_NUMBERS) {
    use(std::span(static_cast<const std::uint64_t*>(keys.data), keys.count), std::size_t{0});
    return;
  }
  with_layout(keys, [&](auto at) {
    if constexpr (std::same_as<decltype(at(0)), std::string_view>) {
      std::array<std::string_view, 1024> texts;
      for (std::size_t begin = 0; begin < keys.count; begin += texts.size()) {
        const std::size_t size = std::min(texts.size(), keys.count - begin);
        for (std::size_t i = 0; i < size; ++i) texts[i] = at(begin + i);
        use(std::span<const std::string_view>(texts).first(size), begin);
      }
    }
  });
}

}  // namespace crivo::capi
