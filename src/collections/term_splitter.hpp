// SPDX-License-Identifier: Apache-2.0
/// The terms of a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collections/record_reader.hpp"

namespace crivo::extract {

/// Divides texts, which come piece by piece, into runs of letters and digits of ASCII and bytes
/// from 0x80 on. Of a term over the limit of keys no more is kept than shows that.
class TermSplitter {
 public:
  /// With `fold`, A to Z become a to z. `keys` must outlive this.
  TermSplitter(bool fold, KeyTaker& keys);

  /// `offset` is that of the text's record.
  void add(std::string_view piece, std::uint64_t offset);
  /// Ends a term that the next piece would go on with.
  void end();
  /// Leaves that term out, as what ends here was cut off.
  void cut() noexcept { term_.clear(); }

 private:
  const char* folded_;  ///< by byte: what it is in a term, or NUL
  KeyTaker& keys_;
  std::string term_;
  std::uint64_t offset_ = 0;
};

}  // namespace crivo::extract
