/// What is measured of one method, in the process that builds it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bench/key_sets.hpp"
#include "bench/methods.hpp"

namespace crivo::bench {

struct BuildFigures {
  double cpu_ns = 0;  ///< of all threads
  double wall_ns = 0;
  double cpu_ns_from_hashes = 0;  ///< 0 where the method does not tell
  double peak_bytes = 0;          ///< the most memory in use beside what was in use before
  double bits = 0;
};

/// The lookups that are timed.
enum class Loop {
  lookup,     ///< present keys, one after the other
  dependent,  ///< the same, each begun when the last has ended
  batch,      ///< the same through the method's interface for many keys
  absent,     ///< absent keys, one after the other
};
inline constexpr std::array kLoops{Loop::lookup, Loop::dependent, Loop::batch, Loop::absent};
/// Of tables and JSON.
std::string_view name_of(Loop loop) noexcept;

/// A method at work on a key set. Every call throws std::runtime_error if the method is at fault.
class Subject {
 public:
  /// The keys must outlive it.
  Subject(const Method& method, const KeySets& keys) : method_(method), keys_(keys) {}
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Builds the structure over the set, once in an object's life.
  BuildFigures build(unsigned threads);
  /// Throws unless each key of the set has a rank of its own below their number, and all loops find
  /// the same ones. A bit of memory a key.
  void verify() const;
  /// CPU time per key of one round over the keys of `loop`, in ns; 0 if the method has no such
  /// loop.
  double time(Loop loop) const;

 private:
  const Method& method_;
  const KeySets& keys_;
  void* built_ = nullptr;
};

}  // namespace crivo::bench
