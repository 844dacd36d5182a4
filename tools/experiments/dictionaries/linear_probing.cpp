// SPDX-License-Identifier: Apache-2.0
#include "experiments/dictionaries/linear_probing.hpp"

#include <numeric>

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

/// The entries of a table, each taken one linked to a later one up to the next that is free.
class FreeEntries {
 public:
  explicit FreeEntries(std::uint32_t entries) : next_(entries) {
    std::iota(next_.begin(), next_.end(), 0U);
  }

  /// Takes the first free entry from `at` on, round the end; there is one.
  std::uint32_t take(std::uint32_t at) noexcept {
    while (next_[at] != at) {
      next_[at] = next_[next_[at]];
      at = next_[at];
    }
    next_[at] = at + 1 == next_.size() ? 0 : at + 1;
    return at;
  }

 private:
  std::vector<std::uint32_t> next_;
};

}  // namespace

LinearProbing::LinearProbing(const KeySet& keys, double load, const Hashing& hashing)
    : keys_(keys), hash_(hashing.hash) {
  if (!(load < 1)) {
    throw Error(ErrorKind::usage, "open addressing: the load is below 1, or no search would end");
  }
  entries_.assign(addresses_for(keys.size(), load, keys.size() + 1), kNoKey);
  reduce_ = classic::Reduction(hashing.range, slots());
  FreeEntries free(slots());
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t home = address(keys[i]);
    const std::uint32_t at = free.take(home);
    collisions_ += at >= home ? at - home : slots() - home + at;
    entries_[at] = keys.start(i);
  }
}

}  // namespace crivo::experiments
