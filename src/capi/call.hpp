// SPDX-License-Identifier: Apache-2.0
/// The border between crivo.h and the library: no exception crosses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "crivo.h"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo::capi {

/// Notes the exception that a handler handles, for crivo_error_message() and its like.
crivo_status note_failure() noexcept;

/// Thrown where a function of the program ended a call.
[[noreturn]] void fail_cancelled();

/// Runs `work`, and turns what it throws into a status.
template <typename Work>
crivo_status call(Work&& work) noexcept {
  try {
    work();
    return CRIVO_STATUS_OK;
  } catch (...) {
    return note_failure();
  }
}

/// A pointer that the program has to give, and what messages call it.
class Given {
 public:
  template <typename Pointed>
  Given(const char* name, Pointed* pointer) noexcept : name_(name), is_there_(pointer != nullptr) {}
  /// Bytes: without one of them nothing is to be pointed to.
  Given(const char* name, const void* data, std::size_t size) noexcept
      : name_(name),
        is_there_(data != nullptr || size == 0),
        is_too_long_(size > static_cast<std::size_t>(PTRDIFF_MAX)) {}

  /// Throws Error(usage) for NULL, and for more bytes than memory can have.
  void check() const;

 private:
  const char* name_;
  bool is_there_;
  bool is_too_long_ = false;
};

/// Throws Error(usage) where one of these is NULL.
void check_given(std::initializer_list<Given> given);

/// The same where none of these is.
template <typename Work>
crivo_status call(std::initializer_list<Given> given, Work&& work) noexcept {
  return call([&] {
    check_given(given);
    work();
  });
}

/// Throws Error(usage) for a structure whose struct_size was not set.
void check_struct_size(std::size_t size);

/// Throws Error(usage) for bytes other than 0, which a later version's members are.
void check_later_members(const void* members, std::size_t size);

/// Throws Error(usage) where there is no room for an answer, or its struct_size was not set.
template <typename Answer>
void check_room(const Answer* room, const char* name) {
  Given(name, room).check();
  check_struct_size(room->struct_size);
}

/// A structure of options as this version has it, of one that the program was compiled with; all
/// defaults for none. Throws Error(usage) where a later version's members ask for something.
template <typename Options>
Options taken(const Options* given) {
  Options options{};
  if (given == nullptr) return options;
  check_struct_size(given->struct_size);
  const std::size_t known = std::min(given->struct_size, sizeof options);
  std::memcpy(&options, given, known);
  check_later_members(reinterpret_cast<const char*>(given) + known, given->struct_size - known);
  return options;
}

/// Writes as much of `answer` as the program's structure has room for.
template <typename Answer>
void give(Answer answer, Answer* room) {
  answer.struct_size = room->struct_size;
  std::memcpy(room, &answer, std::min(room->struct_size, sizeof answer));
}

/// The number that stands in an enumeration of a caller's, which need not be one of its own: such a
/// one must not be read as the enumeration.
template <typename Enumeration>
int number_in(const Enumeration& value) noexcept {
  static_assert(sizeof(Enumeration) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

/// A text of the program, or a default where it gave none.
inline std::string text_or(const char* text, const char* otherwise) {
  return text != nullptr ? text : otherwise;
}

/// The same that does not throw: nothing for none.
inline std::string_view text_or_none(const char* text) noexcept {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

/// A text or a path that the program has to give; messages call it `what`. Throws Error(usage).
const char* needed(const char* text, const char* what);

/// An array of paths. Throws Error(usage) where it or one of them is NULL.
std::vector<std::string> texts_of(const char* const* texts, std::size_t count);
std::vector<std::filesystem::path> paths_of(const char* const* paths, std::size_t count);

/// The beginning of `text`, as far as `room` has place for it and a NUL, up to the end of a
/// character of UTF-8.
template <std::size_t kSize>
void copy_text(std::string_view text, char (&room)[kSize]) noexcept {
  std::size_t size = std::min(text.size(), kSize - 1);
  const auto is_inside = [](char byte) { return (byte & 0xc0) == 0x80; };
  if (size < text.size()) {
    for (int most = 3; most != 0 && size != 0 && is_inside(text[size]); --most) --size;
  }
  std::memcpy(room, text.data(), size);
  room[size] = '\0';
}

OpenOptions open_options(const crivo_open_options* given);

/// Throws as PublicKey::read() does.
Trust trust_of(const crivo_trust& given);

/// Runs work(resources). If the program has a function for the progress, on a thread of its own,
/// while this one calls that function ten times a second.
void with_resources(const crivo_resources* given,
                    const std::function<void(const Resources&)>& work);

}  // namespace crivo::capi
