// SPDX-License-Identifier: Apache-2.0
/// How a group of an exact set is answered for.
#pragma once

#include <cstdint>

namespace crivo::exact {

inline constexpr unsigned kMostWidth = 32;

/// What the byte of a group says.
enum class Class : std::uint8_t {
  bit_only = 0,  ///< all of its keys have a bit
  // 1 to 32: a filter of so many bits over the members, 33 to 64: over the others, of 32 less.
  none = 65,  ///< no key of it is a member
  all = 66,   ///< every one is
};

constexpr Class class_of_width(unsigned width, bool inverted) noexcept {
  return static_cast<Class>(width == 0 ? 0 : width + (inverted ? kMostWidth : 0));
}
/// The tag of the filter that a class asks (ribbon.md, section type 32); 0: none.
constexpr unsigned filter_of(Class of) noexcept {
  const auto number = static_cast<unsigned>(of);
  return number <= 2 * kMostWidth ? number : 0;
}
constexpr bool is_inverted(Class of) noexcept {
  return filter_of(of) > kMostWidth;
}
constexpr unsigned width_of(Class of) noexcept {
  return filter_of(of) - (is_inverted(of) ? kMostWidth : 0);
}
constexpr bool is_class(unsigned number) noexcept {
  return number <= static_cast<unsigned>(Class::all);
}

}  // namespace crivo::exact
