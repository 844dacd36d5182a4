// SPDX-License-Identifier: Apache-2.0
// marisa-trie (libmarisa-dev): it holds the strings themselves, each with an id below their number.

#include <marisa.h>

#include <limits>
#include <memory>

#include "bench/methods.hpp"
#include "bench/structure.hpp"
#include "bench/value_array.hpp"

namespace crivo::bench {
namespace {

class Trie {
 public:
  static std::unique_ptr<Trie> build(const crivo_bench_keys& keys, unsigned, const char*& why) {
    if (keys.count > std::numeric_limits<marisa::UInt32>::max()) {
      why = "ids have 32 bits";
      return nullptr;
    }
    marisa::Keyset copies;
    for (std::size_t i = 0; i < keys.count; ++i)
      copies.push_back(keys.keys[i].data, keys.keys[i].size);
    auto trie = std::make_unique<Trie>();
    trie->trie_.build(copies);
    return trie;
  }

  std::uint64_t bits() const { return 8 * trie_.io_size(); }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    marisa::Agent agent;
    // The id of key i, or the number of keys if it is absent.
    use([&](std::size_t i) -> std::uint64_t {
      agent.set_query(keys.keys[i].data, keys.keys[i].size);
      return trie_.lookup(agent) ? agent.key().id() : trie_.num_keys();
    });
  }

 private:
  marisa::Trie trie_;
};

}  // namespace

std::vector<Method> marisa_mphfs() {
  return {{method_of<Trie>("marisa-trie"), "marisa"}};
}

std::vector<Method> marisa_maps() {
  return {{method_of<ValueArray<Trie>>("marisa-trie + array"), "marisa"}};
}

}  // namespace crivo::bench
