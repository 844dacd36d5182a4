// SPDX-License-Identifier: Apache-2.0
/// JSON as the program writes it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crivo::cli {

/// A JSON value: null, true or false, a number, a text, an array, or an object whose members keep
/// the order in which they were named.
///
///     Json json{{"schema", 1}, {"keys", keys}};
///     json["seconds"] = {{"read", 0.5}, {"build", 1.25}};
///
/// A value of JSON. Functions that allocate throw std::bad_alloc, and leave the value as it was or
/// destroy it; to destroy one takes no memory, however deep it is. (The trees of common JSON
/// libraries take some for that, and end the program where there is none: after an output was
/// published, say.)
class Json {
 public:
  /// null; the first member that is named makes it an object.
  Json() = default;
  // NOLINTBEGIN(google-explicit-constructor): a value stands for its JSON
  Json(std::nullptr_t) {}
  Json(bool value);
  Json(double value);
  Json(std::unsigned_integral auto value) : scalar_(std::to_string(value)) {}
  Json(std::signed_integral auto value) : scalar_(std::to_string(value)) {}
  /// Bytes that are no UTF-8 become U+FFFD.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  // NOLINTEND(google-explicit-constructor)
  /// An object.
  Json(std::initializer_list<std::pair<const char*, Json>> members);

  /// An integer in decimal digits.
  static Json integer(std::string_view digits);
  static Json array();
  static Json object();

  /// The member of this name, which is made (null) if there is none. Of null or an object.
  Json& operator[](std::string_view name);
  /// Adds an element. Of an array.
  void push_back(Json element);

  /// All of it on one line.
  std::string dump() const;

 private:
  enum class Kind { scalar, array, object };
  explicit Json(Kind kind) : kind_(kind) {}
  void write_to(std::string& text) const;

  Kind kind_ = Kind::scalar;
  std::string scalar_ = "null";                      ///< as it is written
  std::vector<std::pair<std::string, Json>> parts_;  ///< of an array without names
};

}  // namespace crivo::cli
