// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <exception>
#include <new>
#include <system_error>

namespace crivo::base {

void run_threads(unsigned threads, const std::function<void(unsigned)>& work,
                 std::atomic<bool>* stop) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&](unsigned thread) {
    try {
      work(thread);
    } catch (...) {
      if (stop != nullptr) stop->store(true, std::memory_order_relaxed);
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    try {
      for (unsigned t = 1; t < threads; ++t) pool.emplace_back(guarded, t);
    } catch (const std::system_error&) {  // no more threads
    } catch (const std::bad_alloc&) {     // no room for more
    }
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace crivo::base
