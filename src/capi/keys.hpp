// SPDX-License-Identifier: Apache-2.0
/// Keys as C hands them over, for batches and for builds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "capi/call.hpp"
#include "crivo.h"
#include "crivo/error.hpp"

namespace crivo::capi {

inline std::string_view text_of(const void* data, std::size_t size) noexcept {
  return {static_cast<const char*>(data), size};
}

/// Where a batch writes its answers.
static_assert(sizeof(bool) == sizeof(std::uint8_t));
inline std::span<bool> answers_at(std::uint8_t* answers, std::size_t size) noexcept {
  return {reinterpret_cast<bool*>(answers), size};
}

/// `size` less the NULs at the end of the bytes from `data` on.
inline std::size_t size_without_padding(const char* data, std::size_t size) noexcept {
  constexpr std::size_t kStep = 64;
  std::array<std::uint64_t, kStep / 8> words;
  if (size >= kStep) {
    std::size_t end = size;
    for (; end > kStep; end -= kStep) {
      std::memcpy(words.data(), data + end - kStep, kStep);
      std::uint64_t any = 0;
      for (const std::uint64_t word : words) any |= word;
      if (any != 0) break;
    }
    end = std::max(end, kStep);
    std::memcpy(words.data(), data + end - kStep, kStep);
    // Without a branch, which would be foreseen as little as the key's length.
    std::size_t last = 0;
    for (std::size_t i = 1; i < words.size(); ++i) last = words[i] != 0 ? i : last;
    return end - kStep + 8 * (last + 1) -
           static_cast<std::size_t>(std::countl_zero(words[last])) / 8;
  }
  for (; size >= 8; size -= 8) {
    std::memcpy(words.data(), data + size - 8, 8);
    if (words[0] != 0) return size - static_cast<std::size_t>(std::countl_zero(words[0])) / 8;
  }
  while (size != 0 && data[size - 1] == '\0') --size;
  return size;
}

/// Key i of CRIVO_LAYOUT_PADDED. Where the longest key is far longer than most, nearly all of the
/// array is padding, and to find the keys' ends costs what it costs to read it: bytes are asked for
/// some keys ahead, without which it takes twice as long.
inline std::string_view padded_key(const crivo_keys& keys, std::size_t i) noexcept {
  constexpr std::size_t kAhead = 4096;
  constexpr std::size_t kLine = 64;
  const auto* const all = static_cast<const char*>(keys.data);
  const std::size_t begin = i * keys.width;
  const std::size_t next = std::min(begin + kAhead, keys.count * keys.width);
  const std::size_t end = std::min(next + keys.width, keys.count * keys.width);
  for (std::size_t at = next; at < end; at += kLine) __builtin_prefetch(all + at);
  return {all + begin, size_without_padding(all + begin, keys.width)};
}

/// Throws Error(usage) for a key that lies nowhere.
[[noreturn]] void fail_key(std::size_t i);

/// Calls use(at), where at(i) is key i: of any layout but CRIVO_LAYOUT_NUMBERS a std::string_view.
template <typename Use>
decltype(auto) with_layout(const crivo_keys& keys, Use&& use) {
  switch (number_in(keys.layout)) {
    case CRIVO_LAYOUT_OFFSETS:
      return use([&keys](std::size_t i) {
        const std::uint64_t begin = keys.offsets[i];
        const std::uint64_t end = keys.offsets[i + 1];
        if (end < begin || (keys.data == nullptr && end != begin)) fail_key(i);
        return text_of(static_cast<const char*>(keys.data) + begin,
                       static_cast<std::size_t>(end - begin));
      });
    case CRIVO_LAYOUT_FIXED:
      return use([&keys](std::size_t i) {
        return text_of(static_cast<const char*>(keys.data) + i * keys.width, keys.width);
      });
    case CRIVO_LAYOUT_PADDED:
      return use([&keys](std::size_t i) { return padded_key(keys, i); });
    case CRIVO_LAYOUT_NUMBERS:
      return use(
          [&keys](std::size_t i) { return static_cast<const std::uint64_t*>(keys.data)[i]; });
    case CRIVO_LAYOUT_EACH:
      break;
    default:
      throw Error(ErrorKind::usage, "unknown layout of keys");
  }
  return use([&keys](std::size_t i) {
    const crivo_bytes& key = static_cast<const crivo_bytes*>(keys.data)[i];
    if (key.data == nullptr && key.size != 0) fail_key(i);
    return text_of(key.data, key.size);
  });
}

/// Keys that the program has to give, with what their layout points to. Throws Error(usage).
inline const crivo_keys& needed_keys(const crivo_keys* keys) {
  Given("an array of keys", keys).check();
  if (keys->count == 0) return *keys;
  const int layout = number_in(keys->layout);
  const bool has_no_bytes =
      layout == CRIVO_LAYOUT_OFFSETS ||
      ((layout == CRIVO_LAYOUT_FIXED || layout == CRIVO_LAYOUT_PADDED) && keys->width == 0);
  if (!has_no_bytes) Given("the data of keys", keys->data).check();
  if (layout == CRIVO_LAYOUT_OFFSETS) Given("the offsets of keys", keys->offsets).check();
  return *keys;
}

/// How many answers a batch writes.
inline std::size_t count_of(const crivo_keys* keys) noexcept {
  return keys != nullptr ? keys->count : 0;
}

/// Puts the keys from `begin` on into `texts`: of a number its 8 bytes, the lowest first.
void put_texts(const crivo_keys& keys, std::size_t begin, std::span<std::string_view> texts);

/// Calls use(block, begin) for spans of the keys, in order: as numbers, or some hundred texts at a
/// time.
template <typename Use>
void for_each_block(const crivo_keys& keys, Use&& use) {
  if (number_in(keys.layout) == CRIVO_LAYOUT_NUMBERS) {
    use(std::span(static_cast<const std::uint64_t*>(keys.data), keys.count), std::size_t{0});
    return;
  }
  std::array<std::string_view, 1024> texts;
  for (std::size_t begin = 0; begin < keys.count; begin += texts.size()) {
    const auto block = std::span(texts).first(std::min(texts.size(), keys.count - begin));
    put_texts(keys, begin, block);
    use(std::span<const std::string_view>(block), begin);
  }
}

}  // namespace crivo::capi
