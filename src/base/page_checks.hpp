// SPDX-License-Identifier: Apache-2.0
/// Which pages of a file's bytes were compared with their sums. Lookups touch what they read, at
/// the places where they would ask for it ahead: a bit says that a page was compared, once an open,
/// and the first that touches it does so. What was found damaged is not told to whoever touches it:
/// a lookup is safe with any bytes, and at its end asks rests_on_damage(). Where some of the bytes
/// are lost (ReadGuard), every answer rests on damage from then on.
///
/// Pages of mapped files can be unreadable, because the disk is bad or the file was cut short: the
/// system says so by SIGBUS. The guard (crivo::guard_reads()) puts zeros in such a page's place,
/// and tells the checks of the bytes: then no answer is given out of these any more. (A cut inside
/// of a page leaves zeros without a signal: no guard sees that.)
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/bytes.hpp"

namespace crivo::base {

/// Safe for any number of threads, without locks: two that touch a page at once both compare it.
class PageChecks {
 public:
  static constexpr unsigned kPageBits = 12;

  /// Where the bytes of pages are: there; or nowhere until is_sound() has read them, which is asked
  /// by one thread at a time.
  enum class Where { in_memory, in_file };

  /// Takes a bit a page of memory. `bytes` must outlive it.
  PageChecks(ByteView bytes, Where where);
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
    return compare(first, last, {at, size});
  }
  /// In the lowest bit, whether the page that a byte is on was compared before, and was sound.
  [[gnu::always_inline]] std::uint64_t compared_bit(const std::byte* at) const noexcept {
    const std::uint64_t page = static_cast<std::uint64_t>(at - begin_) >> kPageBits;
    return word_of(page) >> (page % 64);
  }
  /// Whether anyone has touched a damaged page.
  bool found_damage() const noexcept { return found_damage_.load(std::memory_order_relaxed); }
  /// The same for who asks again and again.
  const std::atomic<bool>& damage() const noexcept { return found_damage_; }
  /// How often this thread has touched damaged pages, of whatever bytes.
  static std::uint64_t touched_damage() noexcept;

  /// Is called by the handler of a signal when zeros are about to take the place of some bytes.
  void lose() const noexcept {
    is_lost_.store(true);
    found_damage_.store(true);
  }
  /// Whether that was so: then nobody knows which answers rest on the zeros.
  bool is_lost() const noexcept { return is_lost_.load(std::memory_order_relaxed); }

 protected:
  /// Whether the page has its sum.
  virtual bool is_sound(std::uint64_t page) const noexcept = 0;
  /// Whether some bytes are sound that lie on pages which are not.
  virtual bool are_sound(ByteView /*bytes*/) const noexcept { return false; }
  /// Has all pages compared once more. Not while others touch some.
  void forget_compared() noexcept;

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  std::uint64_t word_of(std::uint64_t page) const noexcept {
    return compared_[page / 64].load(std::memory_order_acquire);  // of what may have been read then
  }
  bool is_compared(std::uint64_t page) const noexcept {
    return (word_of(page) >> (page % 64) & 1) != 0;
  }
  bool compare(std::uint64_t first, std::uint64_t last, ByteView touched) const noexcept;

  const std::byte* begin_;
  std::uint64_t words_;
  std::unique_ptr<Word[]> compared_;
  std::unique_ptr<std::mutex> reading_;  ///< null where all is in memory
  mutable std::atomic<bool> found_damage_ = false;
  mutable std::atomic<bool> is_lost_ = false;
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

/// A structure keeps one to touch by: nothing happens where there are no checks.
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

/// Whether this thread touches damage from here on, or what has these checks (if any) is lost.
class DamageWatch {
 public:
  explicit DamageWatch(const PageChecks* checks) noexcept : checks_(checks) {}

  bool has_seen() const noexcept {
    std::atomic_signal_fence(std::memory_order_acquire);  // what was read before may have lost it
    return PageChecks::touched_damage() != before_ || (checks_ != nullptr && checks_->is_lost());
  }

 private:
  const PageChecks* checks_;
  std::uint64_t before_ = PageChecks::touched_damage();
};

/// Whether an answer that was had by `lookup()` may be wrong: whether that touches damaged pages
/// when it is called again, which it is only where somebody has found some.
template <typename Lookup>
[[gnu::always_inline]] inline bool rests_on_damage(const PageChecks* checks,
                                                   const Lookup& lookup) noexcept {
  std::atomic_signal_fence(std::memory_order_acquire);  // as in DamageWatch
  if (checks == nullptr || !checks->found_damage()) [[likely]]
    return false;
  const DamageWatch watch(checks);
  lookup();
  return watch.has_seen();
}

/// Bytes that are guarded as long as this is there, whether or not there is a guard yet.
class GuardedBytes {
 public:
  /// Without `checks`, all that is read of `bytes` is checked whenever it is read.
  explicit GuardedBytes(ByteView bytes, const PageChecks* checks = nullptr);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

 private:
  struct Range;
  friend struct ReadGuard;
  Range* range_;
};

}  // namespace crivo::base
