// SPDX-License-Identifier: Apache-2.0
/// A key that is looked up in several structures, and hashed once.
#pragma once

#include <string_view>

#include "crivo/hash.hpp"

namespace crivo {

/// A key, which hashes itself when it is first asked for its hash: what looks up by the text alone
/// costs no hash, and structures with an equal hash_function() share one. Of one thread; the text
/// must outlive it.
class Key {
 public:
  explicit Key(std::string_view text) noexcept : text_(text) {}

  std::string_view text() const noexcept { return text_; }
  /// function(text()). Kept until another function is asked for.
  const KeyHash& hash(const HashFunction& function) const noexcept {
    if (!detail::HashAccess::made(function, hash_)) hash_ = function(text_);
    return hash_;
  }

 private:
  std::string_view text_;
  mutable KeyHash hash_;
};

}  // namespace crivo
