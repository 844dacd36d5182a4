// SPDX-License-Identifier: Apache-2.0
#include "base/page_checks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "crivo/open.hpp"

namespace crivo::base {
namespace {

thread_local std::uint64_t damage_touched = 0;

constinit const std::atomic<bool> kNoDamage{false};

}  // namespace

PageChecks::PageChecks(ByteView bytes, Where where)
    : begin_(bytes.data()),
      words_((bytes.size() >> kPageBits) / 64 + 1),
      compared_(std::make_unique<Word[]>(words_)),
      reading_(where == Where::in_file ? std::make_unique<std::mutex>() : nullptr) {}

PageChecks::~PageChecks() = default;

std::uint64_t PageChecks::touched_damage() noexcept {
  return damage_touched;
}

const std::atomic<bool>& Pages::damage() const noexcept {
  return checks_ == nullptr ? kNoDamage : checks_->damage();
}

void PageChecks::forget_compared() noexcept {
  for (std::uint64_t i = 0; i < words_; ++i) compared_[i].store(0, std::memory_order_relaxed);
}

bool PageChecks::compare(std::uint64_t first, std::uint64_t last, ByteView touched) const noexcept {
  for (std::uint64_t page = first; page <= last; ++page) {
    if (is_compared(page)) continue;
    std::unique_lock<std::mutex> reading;
    if (reading_ != nullptr) reading = std::unique_lock(*reading_);
    if (reading.owns_lock() && is_compared(page)) continue;  // by another thread meanwhile
    if (!is_sound(page)) {
      if (are_sound(touched)) return true;
      found_damage_.store(true, std::memory_order_relaxed);
      ++damage_touched;
      return false;
    }
    compared_[page / 64].fetch_or(std::uint64_t{1} << (page % 64), std::memory_order_release);
  }
  return true;
}

/// One of a list that only grows, since a handler may be in it: those that are free have no end,
/// which is set last, and reset first.
struct GuardedBytes::Range {
  std::atomic<const PageChecks*> checks = nullptr;
  std::atomic<const std::byte*> begin = nullptr;
  std::atomic<const std::byte*> end = nullptr;
  Range* next = nullptr;
  Range* next_free = nullptr;
};

struct ReadGuard {
  using Range = GuardedBytes::Range;

  std::mutex mutex;  ///< of what follows, for all but the handler
  std::atomic<Range*> first = nullptr;
  Range* free = nullptr;
  std::uintptr_t page_bytes = 0;  ///< of the system; 0: there is no handler yet
  struct sigaction before {};

  /// The one of the process, which stays to its end.
  static ReadGuard& get() {
    static ReadGuard& guard = *new ReadGuard;  // NOLINT(*-owning-memory)
    return guard;
  }

  /// Puts zeros in the place of the page that `at` is on; false where it is none that is guarded.
  bool replace(const std::byte* at) const noexcept {
    for (const Range* range = first.load(); range != nullptr; range = range->next) {
      const std::byte* const end = range->end.load();
      if (end == nullptr || at >= end || at < range->begin.load()) continue;
      const PageChecks* const checks = range->checks.load();
      if (range->end.load() != end) continue;  // it was let go of meanwhile
      if (checks != nullptr) checks->lose();   // first: who sees the zeros is to see that
      const auto address = reinterpret_cast<std::uintptr_t>(at);
      const std::byte* const page = at - address % page_bytes;
      return ::mmap(const_cast<std::byte*>(page), page_bytes, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
  }

  static void handle(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    const ReadGuard& guard = get();
    const bool is_done = guard.replace(static_cast<const std::byte*>(info->si_addr));
    errno = error;
    if (is_done) return;
    if ((guard.before.sa_flags & SA_SIGINFO) != 0) {
      guard.before.sa_sigaction(signal, info, context);
    } else if (guard.before.sa_handler != SIG_DFL && guard.before.sa_handler != SIG_IGN) {
      guard.before.sa_handler(signal);
    } else {
      (void)::sigaction(SIGBUS, &guard.before, nullptr);  // what failed is done again, and ends it
    }
  }
};

GuardedBytes::GuardedBytes(ByteView bytes, const PageChecks* checks) {
  ReadGuard& guard = ReadGuard::get();
  const std::scoped_lock lock(guard.mutex);
  if (guard.free == nullptr) {
    range_ = new Range{.next = guard.first.load()};  // NOLINT(*-owning-memory)
    guard.first.store(range_);
  } else {
    range_ = guard.free;
    guard.free = range_->next_free;
  }
  range_->checks.store(checks);
  range_->begin.store(bytes.data());
  range_->end.store(bytes.data() + bytes.size());
}

GuardedBytes::~GuardedBytes() {
  ReadGuard& guard = ReadGuard::get();
  const std::scoped_lock lock(guard.mutex);
  range_->end.store(nullptr);
  range_->next_free = guard.free;
  guard.free = range_;
}

}  // namespace crivo::base

void crivo::guard_reads() noexcept {
  using base::ReadGuard;
  ReadGuard& guard = ReadGuard::get();
  const std::scoped_lock lock(guard.mutex);
  if (guard.page_bytes != 0) return;
  guard.page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = ReadGuard::handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  (void)::sigemptyset(&action.sa_mask);
  (void)::sigaction(SIGBUS, &action, &guard.before);
}
