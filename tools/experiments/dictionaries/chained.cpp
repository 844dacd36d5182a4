#include "experiments/dictionaries/chained.hpp"

namespace crivo::experiments {

ChainedTable::ChainedTable(const KeyText& keys, const Hashing& hashing, double load)
    : keys_(keys),
      hash_(hashing.hash),
      chains_(addresses_for(keys.size(), load, 1)),
      reduce_(hashing.range, chains_.buckets()) {
  chains_.reserve(keys.size());
  elements_.reserve(keys.size());
  keys_.for_each([this](std::uint32_t start) { insert(start); });
}

void ChainedTable::insert(std::uint32_t start) {
  chains_.push(bucket(keys_.key(start)));
  elements_.push_back(start);
}

}  // namespace crivo::experiments
