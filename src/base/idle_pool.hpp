// SPDX-License-Identifier: Apache-2.0
/// Costly helper objects, each used by one thread at a time and then by another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace crivo::base {

/// Makes as many objects as are in use at once.
template <typename T>
class IdlePool {
  struct Return {
    IdlePool* pool;
    void operator()(T* object) const {
      std::unique_ptr<T> idle(object);
      const std::scoped_lock lock(pool->mutex_);
      pool->idle_.push_back(std::move(idle));  // within the room that take() made
    }
  };

 public:
  /// An object that goes back to the pool, which must outlive it.
  using Handle = std::unique_ptr<T, Return>;

  explicit IdlePool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  Handle take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        Handle handle(idle_.back().release(), {this});
        idle_.pop_back();
        return handle;
      }
      idle_.reserve(++made_);  // giving one back must not fail
    }
    return Handle(make_().release(), {this});
  }
  /// Destroys all that are not in use.
  void clear() noexcept {
    const std::scoped_lock lock(mutex_);
    made_ -= idle_.size();
    idle_.clear();
  }

 private:
  std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace crivo::base
