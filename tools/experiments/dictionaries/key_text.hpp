/// The set of keys that all dictionaries of this folder point into.
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo::experiments {

/// The dissertation's S (section 3.1, Figure 3.1): the keys one after another in one piece of
/// memory, each with a NUL after it. A key is named by the offset where it starts, which takes 4
/// bytes. Refers to the text, which must outlive it.
class KeyText {
 public:
  /// No key starts there.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Throws Error(usage) if the last byte is not NUL, or if there are 4 GiB - 1 or more.
  explicit KeyText(std::string_view text);

  /// The number of keys.
  std::uint32_t size() const noexcept { return size_; }
  /// Of the text, the NULs included.
  std::uint64_t bytes() const noexcept { return text_.size(); }

  std::string_view key(std::uint32_t start) const noexcept { return text_.data() + start; }

  /// Calls visit(start) for each key in the order of the text.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t start = 0; start < text_.size(); start += 1) {
      visit(static_cast<std::uint32_t>(start));
      start = text_.find('\0', start);
    }
  }

 private:
  std::string_view text_;
  std::uint32_t size_;
};

}  // namespace crivo::experiments
