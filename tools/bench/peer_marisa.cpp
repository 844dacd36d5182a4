// marisa-trie (libmarisa-dev): it holds the strings themselves, each with an id below their number.

#include <marisa.h>

#include <limits>
#include <memory>

#include "bench/loops.hpp"
#include "bench/methods.hpp"

namespace crivo::bench {
namespace {

void* build(const crivo_bench_keys* keys, unsigned, const char** why) {
  if (keys->count > std::numeric_limits<marisa::UInt32>::max()) {
    *why = "ids have 32 bits";
    return nullptr;
  }
  marisa::Keyset copies;
  for (std::size_t i = 0; i < keys->count; ++i)
    copies.push_back(keys->keys[i].data, keys->keys[i].size);
  auto trie = std::make_unique<marisa::Trie>();
  trie->build(copies);
  return trie.release();
}

const marisa::Trie& of(const void* built) {
  return *static_cast<const marisa::Trie*>(built);
}

void destroy(void* built) {
  delete static_cast<marisa::Trie*>(built);
}

std::uint64_t bits(const void* built) {
  return 8 * of(built).io_size();
}

/// The id of key i, or the number of keys if it is absent.
class Search {
 public:
  Search(const void* built, const crivo_bench_key* keys) : trie_(of(built)), keys_(keys) {}

  std::uint64_t operator()(std::size_t i) {
    agent_.set_query(keys_[i].data, keys_[i].size);
    return trie_.lookup(agent_) ? agent_.key().id() : trie_.num_keys();
  }

 private:
  const marisa::Trie& trie_;
  const crivo_bench_key* keys_;
  marisa::Agent agent_;
};

void lookup(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  look_up_each(*keys, ranks, Search(built, keys->keys));
}

void lookup_dependent(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  look_up_dependent(*keys, ranks, Search(built, keys->keys));
}

}  // namespace

std::vector<Method> marisa_methods() {
  return {{{"marisa-trie", build, destroy, bits, lookup, lookup_dependent, nullptr}, "marisa"}};
}

}  // namespace crivo::bench
