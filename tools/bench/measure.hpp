// SPDX-License-Identifier: Apache-2.0
/// What is measured of one method, in the process that builds it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bench/key_sets.hpp"
#include "bench/methods.hpp"
#include "bench/task.hpp"

namespace crivo::bench {

struct BuildFigures {
  double cpu_ns = 0;  ///< of all threads
  double wall_ns = 0;
  double cpu_ns_from_hashes = 0;  ///< of another build; 0 where the method does not tell
  double peak_bytes = 0;          ///< the most memory in use beside what was in use before
  double bits = 0;
};

/// The lookups that are timed.
enum class Loop {
  lookup,        ///< present keys, one after the other
  dependent,     ///< the same, each begun when the last has ended
  batch,         ///< the same through the method's interface for many keys
  absent,        ///< absent keys, one after the other
  absent_batch,  ///< the same through the interface for many; of filters, which are asked for such
};
inline constexpr std::array kLoops{Loop::lookup, Loop::dependent, Loop::batch, Loop::absent,
                                   Loop::absent_batch};
/// Of tables and JSON.
std::string_view name_of(Loop loop) noexcept;

/// A method at work on a task over a key set. Every call throws std::runtime_error if the method is
/// at fault.
class Subject {
 public:
  /// All must outlive it.
  Subject(const Method& method, const Task& task, const KeySets& keys)
      : method_(method), task_(task), keys_(keys) {}
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Builds the structure over the set, once in an object's life.
  BuildFigures build(unsigned threads);
  /// Throws unless each key of the set has a rank of its own below their number, or is in the
  /// filter, or has its value; and all loops find the same. The part of the absent keys that a
  /// filter says "maybe" for; else 0. At most a bit of memory a key.
  double verify() const;
  /// CPU time per key of one round over the keys of `loop`, in ns; 0 if the method has no such
  /// loop.
  double time(Loop loop) const;

 private:
  void verify_ranks() const;
  void verify_members() const;
  void verify_values() const;
  void verify_loops(const KeySet& keys) const;
  double rate() const;

  const Method& method_;
  const Task& task_;
  const KeySets& keys_;
  void* built_ = nullptr;
};

}  // namespace crivo::bench
