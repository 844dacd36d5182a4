// SPDX-License-Identifier: Apache-2.0
/// Indexes that are replaced or updated while threads look keys up in them.
///
///     crivo::Shared<crivo::Map> prices("prices.crv");  // of all threads
///     crivo::Shared<crivo::Map>::Pin pin(prices);      // of one
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"

namespace crivo {

namespace detail {

/// Keeps the file that a path led to when this was made, which is kept open, so that no other file
/// can be taken for it.
class CRIVO_API FollowedFile {
 public:
  /// Throws Error(io).
  explicit FollowedFile(const std::filesystem::path& path);
  ~FollowedFile();
  FollowedFile(FollowedFile&& other) noexcept;
  FollowedFile& operator=(FollowedFile&& other) noexcept;

  /// Returns whether the path leads to another file by now. One that leads to none has not been
  /// replaced.
  bool is_replaced() const noexcept;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace detail

/// Holds an Mphf, Filter, Map, Rows, Exact (a set or a chain) or Store that any number of threads
/// look keys up in while one goes over to what has taken its place. Each thread looks up through a
/// Pin of its own:
///
///     crivo::Shared<crivo::Map> prices("prices.crv");       // of all threads
///     crivo::Shared<crivo::Map>::Pin pin(prices);           // of one
///     while (...) { pin.follow(); use(pin->lookup(key)); }
///     prices.refresh();                                     // by any thread, now and then
///
/// With a Store a thread also makes its Reader anew where follow() says so:
///
///     if (pin.follow()) reader = crivo::Store::Reader(*pin);
///
/// Each open file is a *generation*. It stays valid, with its file mapped, until the last Pin and
/// snapshot() of it is gone. All functions may be called by any thread at any time.
template <typename T>
class Shared {
 public:
  /// Opens `path` as T::open() does, and throws what that throws.
  explicit Shared(const std::filesystem::path& path, const OpenOptions& options = {})
      : path_(std::filesystem::absolute(path)), options_(options), file_(path_) {
    current_ = std::make_shared<const T>(open());
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// Returns the newest generation that was opened. Takes a mutex for the time of copying a
  /// pointer.
  std::shared_ptr<const T> snapshot() const {
    const std::scoped_lock lock(mutex_);
    return current_;
  }

  /// Where another file has taken the place of the one that is open (or another generation that of
  /// the store's, or records of it were updated), opens that, makes it the newest generation, and
  /// returns true. Lookups go on meanwhile. Throws what T::open() throws: then the newest
  /// generation is what it was. A file that is gone is not replaced. One system call where there is
  /// nothing new, two of a Store. Calls wait for one another.
  bool refresh() {
    const std::scoped_lock one(refreshing_);
    std::shared_ptr<const T> next;
    if constexpr (requires(const T& opened) { opened.newer(); }) {
      if (std::optional<T> newer = current_->newer()) {
        next = std::make_shared<const T>(std::move(*newer));
      }
    } else if (file_.is_replaced()) {
      next = std::make_shared<const T>(open());
    }
    if (!next) return false;
    {
      const std::scoped_lock lock(mutex_);
      current_.swap(next);
      number_.fetch_add(1, std::memory_order_release);
    }
    return true;  // the older generation is let go, by this thread where no other has it
  }

  /// One thread's generation: what was the newest when follow() was called last, or this was made.
  /// It must not outlive the Shared.
  class Pin {
   public:
    explicit Pin(const Shared& shared) : shared_(&shared) { take(); }

    /// Goes over to the newest generation; whether that is another. Costs one load of a number that
    /// only refresh() changes, and a mutex where it has changed.
    bool follow() {
      if (shared_->number_.load(std::memory_order_acquire) == number_) return false;
      take();
      return true;
    }
    const T& operator*() const noexcept { return *generation_; }
    const T* operator->() const noexcept { return generation_.get(); }

   private:
    void take() {
      std::shared_ptr<const T> before = std::move(generation_);  // let go without the mutex
      const std::scoped_lock lock(shared_->mutex_);
      generation_ = shared_->current_;
      number_ = shared_->number_.load(std::memory_order_relaxed);
    }

    const Shared* shared_;
    std::shared_ptr<const T> generation_;
    std::uint64_t number_ = 0;
  };

 private:
  /// Opens what the path leads to, which file_ is from then on.
  T open() {
    constexpr int kTries = 1000;
    for (int left = kTries;; --left) {
      detail::FollowedFile file(path_);
      try {
        T opened = T::open(path_, options_);
        if (left != 1 && file.is_replaced()) continue;
        file_ = std::move(file);
        return opened;
      } catch (const Error&) {
        if (left == 1 || !file.is_replaced()) throw;
      }
    }
  }

  std::filesystem::path path_;
  OpenOptions options_;
  std::mutex refreshing_;
  detail::FollowedFile file_;

  mutable std::mutex mutex_;  ///< of the next
  std::shared_ptr<const T> current_;
  std::atomic<std::uint64_t> number_ = 0;  ///< of generations before it
};

}  // namespace crivo
