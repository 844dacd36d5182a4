// SPDX-License-Identifier: Apache-2.0
/// Fields of a file in a format of others, the highest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/big_endian.hpp"
#include "base/bytes.hpp"
#include "crivo/error.hpp"

namespace crivo::foreign {

/// Reads fields in turn, and nothing beyond the end.
class Fields {
 public:
  /// `what` is what messages call the file's content, behind its name; both outlive this.
  Fields(base::ByteView bytes, const std::string& name, const char* what)
      : bytes_(bytes), name_(name), what_(what) {}

  template <typename Int>
  Int number() {
    if constexpr (sizeof(Int) == 1) {
      return std::to_integer<Int>(take(1)[0]);
    } else {
      return base::load_be<Int>(take(sizeof(Int)).data());
    }
  }
  base::ByteView take(std::uint64_t count) {
    if (count > bytes_.size()) fail("ends in the middle of a field");
    const base::ByteView taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  /// The number of things that follow, of which each takes `least` bytes or more.
  template <typename Int>
  std::size_t count_of(std::uint64_t least) {
    const Int count = number<Int>();
    if (std::uint64_t{count} * least > bytes_.size()) fail("names more than it holds");
    return count;
  }
  bool at_end() const noexcept { return bytes_.empty(); }
  /// Throws Error(corrupt).
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::corrupt, name_ + ": the " + what_ + " " + problem, {.file = name_});
  }

 private:
  base::ByteView bytes_;
  const std::string& name_;
  const char* what_;
};

}  // namespace crivo::foreign
