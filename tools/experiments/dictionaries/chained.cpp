// SPDX-License-Identifier: Apache-2.0
#include "experiments/dictionaries/chained.hpp"

namespace crivo::experiments {

ChainedTable::ChainedTable(const KeySet& keys, double load, const Hashing& hashing)
    : keys_(keys),
      hash_(hashing.hash),
      chains_(addresses_for(keys.size(), load, 1)),
      reduce_(hashing.range, chains_.buckets()) {
  chains_.reserve(keys.size());
  elements_.reserve(keys.size());
  for (std::uint64_t i = 0; i < keys.size(); ++i) insert(keys.start(i));
}

void ChainedTable::insert(std::uint32_t start) {
  chains_.push(bucket(keys_.at(start)));
  elements_.push_back(start);
}

}  // namespace crivo::experiments
