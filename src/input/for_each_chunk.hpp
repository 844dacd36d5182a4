// SPDX-License-Identifier: Apache-2.0
/// All chunks of an input, on all threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"
#include "input/places.hpp"

namespace crivo::input {

/// Keeps the first fault in the order of the input, of those that the threads met.
class FirstFault {
 public:
  void note(const InputFault& fault);
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// The place of the fault, if there was one; for when all threads have ended.
  const Place& place() const noexcept { return place_; }
  /// Throws Error(bad_input) with file and line of the fault, which is at `place` of the whole
  /// file.
  [[noreturn]] void raise(const Sources& sources, const UnitFraming& framing,
                          const Place& place) const;

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  Place place_;
  std::string problem_;
  std::string remedy_;
};

/// Gives a chunk back when it is done with.
class GiveBack {
 public:
  explicit GiveBack(Chunk& chunk) noexcept : chunk_(chunk) {}
  ~GiveBack() { ChunkReader::give_back(chunk_); }
  GiveBack(const GiveBack&) = delete;
  GiveBack& operator=(const GiveBack&) = delete;

 private:
  Chunk& chunk_;
};

/// Runs visit(thread, chunk) over the chunks of `reader` on every thread, and turns an InputFault
/// into the error of the first fault in the input, with file and line. `sources` are the reader's;
/// throws Error(usage) if there is none.
template <typename Visit>
void for_each_chunk(ChunkReader& reader, const Sources& sources, const UnitFraming& framing,
                    const base::BuildContext& context, Visit&& visit) {
  if (sources.empty()) throw Error(ErrorKind::usage, "no input was given");
  FirstFault first;
  std::exception_ptr failure;  // to read: one thread meets it
  std::atomic<bool> stop{false};
  const auto next = [&](Chunk& chunk) {
    try {
      return reader.next(chunk);
    } catch (const InputFault&) {
      throw;
    } catch (const Error&) {
      failure = std::current_exception();
      return false;
    }
  };
  std::uint64_t reported = 0;  // by thread 0
  // After a fault no further chunk of its file is begun, but those begun are finished, and the
  // files before it read to their ends. Those of one file are begun in order; so the first fault of
  // the input is among those met.
  const auto visit_next = [&](unsigned thread, Chunk& chunk) {
    try {
      const GiveBack when_done(chunk);
      if (!next(chunk)) return false;
      visit(thread, chunk);
    } catch (const InputFault& fault) {
      first.note(fault);
      reader.end_before(fault.place().file);
    }
    if (thread == 0) {
      const std::uint64_t consumed = reader.consumed();
      context.progress.add(consumed - reported);
      reported = consumed;
    }
    return true;
  };
  // A small input is one chunk, for which it is not worth while to start threads.
  Chunk first_chunk;
  if (visit_next(0, first_chunk) && reader.may_have_more()) {
    base::run_threads(
        context.threads,
        [&](unsigned thread) {
          Chunk own;
          Chunk& chunk = thread == 0 ? first_chunk : own;
          while (!stop.load(std::memory_order_relaxed) && visit_next(thread, chunk)) continue;
        },
        &stop);
  }
  if (failure && (!first.any() || reader.failed_file() <= first.place().file)) {
    std::rethrow_exception(failure);
  }
  if (!first.any()) return;
  reader.check_data(first.place().file);
  first.raise(sources, framing, reader.in_file(first.place()));
}

inline void FirstFault::note(const InputFault& fault) {
  const std::scoped_lock lock(mutex_);
  if (!any_ || fault.place() < place_) {
    place_ = fault.place();
    problem_ = fault.what();
    remedy_ = fault.remedy();
  }
  any_ = true;
}

inline void FirstFault::raise(const Sources& sources, const UnitFraming& framing,
                              const Place& place) const {
  fail_at_place(sources, framing, place, problem_, remedy_);
}

}  // namespace crivo::input
