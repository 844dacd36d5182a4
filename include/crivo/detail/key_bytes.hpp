// SPDX-License-Identifier: Apache-2.0
/// The bytes of a key that a program has as a text, as bytes or as a number.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/key.hpp"

namespace crivo::detail {

/// The bytes of a key.
class KeyBytes {
 public:
  template <typename Key>
  explicit KeyBytes(const Key& key) noexcept {
    if constexpr (KeyNumber<Key>) {
      is_number_ = true;
      for (std::size_t i = 0; i < number_.size(); ++i) {
        number_[i] = static_cast<char>(static_cast<std::uint64_t>(key) >> (8 * i));
      }
    } else if constexpr (std::convertible_to<const Key&, std::string_view>) {
      text_ = key;
    } else {
      const std::span<const std::byte> bytes = key;
      text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
  }
  std::string_view view() const noexcept {
    return is_number_ ? std::string_view(number_.data(), number_.size()) : text_;
  }

 private:
  std::array<char, 8> number_{};
  std::string_view text_{};
  bool is_number_ = false;
};

}  // namespace crivo::detail
