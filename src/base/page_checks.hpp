// SPDX-License-Identifier: Apache-2.0
/// Which pages of a file's bytes were compared with their sums. Lookups touch what they read, at
/// the places where they would ask for it ahead: a bit says that a page was compared, once an open,
/// and the first that touches it does so. What was found damaged is not told to whoever touches it:
/// a lookup is safe with any bytes, and at its end asks rests_on_damage().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/bytes.hpp"

namespace crivo::base {

/// Safe for any number of threads, without locks: two that touch a page at once both compare it.
class PageChecks {
 public:
  static constexpr unsigned kPageBits = 12;

  /// Takes a bit a page of memory. `bytes` must outlive it.
  explicit PageChecks(ByteView bytes);
  virtual ~PageChecks();
  PageChecks(const PageChecks&) = delete;
  PageChecks& operator=(const PageChecks&) = delete;

  /// Whether all pages are sound of which some of the bytes are, which lie in those that were
  /// given. Some 2 ns where they were compared before.
  [[gnu::always_inline]] bool touch(const std::byte* at, std::uint64_t size) const noexcept {
    if (size == 0) return true;
    const auto begin = static_cast<std::uint64_t>(at - begin_);
    const std::uint64_t first = begin >> kPageBits;
    const std::uint64_t last = (begin + size - 1) >> kPageBits;
    if (first == last && is_compared(first)) [[likely]]
      return true;
    return compare(first, last);
  }
  /// In the lowest bit, whether the page that a byte is on was compared before, and was sound.
  [[gnu::always_inline]] std::uint64_t compared_bit(const std::byte* at) const noexcept {
    const std::uint64_t page = static_cast<std::uint64_t>(at - begin_) >> kPageBits;
    return compared_[page / 64].load(std::memory_order_relaxed) >> (page % 64);
  }
  /// Whether anyone has touched a damaged page.
  bool found_damage() const noexcept { return found_damage_.load(std::memory_order_relaxed); }
  /// The same for who asks again and again.
  const std::atomic<bool>& damage() const noexcept { return found_damage_; }
  /// How often this thread has touched damaged pages, of whatever bytes.
  static std::uint64_t touched_damage() noexcept;

 protected:
  /// Whether the page has its sum.
  virtual bool is_sound(std::uint64_t page) const noexcept = 0;

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  bool is_compared(std::uint64_t page) const noexcept {
    return (compared_[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1) != 0;
  }
  bool compare(std::uint64_t first, std::uint64_t last) const noexcept;

  const std::byte* begin_;
  std::unique_ptr<Word[]> compared_;
  mutable std::atomic<bool> found_damage_ = false;
};

/// Bytes whose pages are compared where they are touched, if there are checks.
struct CheckedBytes {
  CheckedBytes() = default;
  CheckedBytes(ByteView all, const PageChecks* by = nullptr) noexcept  // NOLINT(*-explicit-*)
      : bytes(all), checks(by) {}

  /// Whether all of them are sound.
  bool touch() const noexcept {
    return checks == nullptr || checks->touch(bytes.data(), bytes.size());
  }

  CheckedBytes subspan(std::uint64_t at) const noexcept { return {bytes.subspan(at), checks}; }

  ByteView bytes;
  const PageChecks* checks = nullptr;
};

/// What a structure keeps to touch by: nothing happens where there are no checks.
class Pages {
 public:
  Pages() = default;
  explicit Pages(const PageChecks* checks) noexcept : checks_(checks) {}

  [[gnu::always_inline]] bool touch(const void* at, std::uint64_t size) const noexcept {
    return checks_ == nullptr || checks_->touch(static_cast<const std::byte*>(at), size);
  }
  /// Whether touch() would find nothing new of these bytes, by one branch for all: for lookups that
  /// go another way where it would.
  template <typename... At>
  [[gnu::always_inline]] bool are_settled(At... at) const noexcept {
    return checks_ == nullptr || ((checks_->compared_bit(at) & ...) & 1) != 0;
  }
  bool are_checked() const noexcept { return checks_ != nullptr; }
  const PageChecks* checks() const noexcept { return checks_; }
  /// Whether anyone has touched damage; never where there are no checks.
  const std::atomic<bool>& damage() const noexcept;

 private:
  const PageChecks* checks_ = nullptr;
};

/// Whether this thread touches damage from here on.
class DamageWatch {
 public:
  bool has_seen() const noexcept { return PageChecks::touched_damage() != before_; }

 private:
  std::uint64_t before_ = PageChecks::touched_damage();
};

/// Whether an answer that was had by `lookup()` may be wrong: whether that touches damaged pages
/// when it is called again, which it is only where somebody has found some.
template <typename Lookup>
[[gnu::always_inline]] inline bool rests_on_damage(const PageChecks* checks,
                                                   const Lookup& lookup) noexcept {
  if (checks == nullptr || !checks->found_damage()) [[likely]]
    return false;
  const DamageWatch watch;
  lookup();
  return watch.has_seen();
}

}  // namespace crivo::base
