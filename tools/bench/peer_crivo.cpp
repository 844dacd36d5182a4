// Crivo's minimal perfect hash functions, built as `crivo build mphf` builds them and read through
// the bytes of their section as a mapped file is.

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/lookup_blocks.hpp"
#include "bench/clock.hpp"
#include "bench/loops.hpp"
#include "bench/methods.hpp"
#include "crivo/hash.hpp"
#include "file/sink.hpp"
#include "keys/hash_collector.hpp"
#include "mphf/function.hpp"
#include "util/parallel.hpp"

namespace crivo::bench {
namespace {

struct Built {
  file::Bytes section;
  std::unique_ptr<const mphf::Function> function;
  double cpu_ns_from_hashes = 0;
};

/// What the product hashes for key i.
struct NumberHash {
  const std::uint64_t* numbers;
  Hash128 operator()(std::size_t i) const noexcept { return hash_key(numbers[i], kDefaultSeed); }
};
struct TextHash {
  const crivo_bench_key* keys;
  Hash128 operator()(std::size_t i) const noexcept {
    return hash_key(std::string_view(keys[i].data, keys[i].size), kDefaultSeed);
  }
};

/// use(hash), with the one of these that suits the keys.
template <typename Use>
void with_hash(const crivo_bench_keys& keys, Use&& use) {
  if (keys.numbers != nullptr) {
    use(NumberHash{keys.numbers});
  } else {
    use(TextHash{keys.keys});
  }
}

keys::SortedHashes sorted_hashes(const crivo_bench_keys& keys, const util::BuildContext& context) {
  keys::HashCollector collector(context.threads);
  util::run_threads(context.threads, [&](unsigned thread) {
    keys::HashCollector::Writer& writer = collector.writer(thread);
    const std::size_t end = keys.count * (thread + 1) / context.threads;
    with_hash(keys, [&](auto hash) {
      for (std::size_t i = keys.count * thread / context.threads; i < end; ++i) writer.add(hash(i));
    });
  });
  return collector.sort(context).hashes;
}

template <std::size_t kRow>
void* build(const crivo_bench_keys* keys, unsigned threads, const char**) {
  const mphf::Algorithm& algorithm = mphf::algorithms()[kRow];
  Progress progress;
  const util::BuildContext context{threads, progress};
  const keys::SortedHashes hashes = sorted_hashes(*keys, context);

  auto built = std::make_unique<Built>();
  const double begin = process_cpu_ns();
  file::MemorySink sink;
  algorithm.build(hashes, {}, context, sink);
  built->cpu_ns_from_hashes = process_cpu_ns() - begin;
  built->section = sink.take();
  built->function = algorithm.open(built->section);
  return built.release();
}

const Built& of(const void* built) {
  return *static_cast<const Built*>(built);
}

void destroy(void* built) {
  delete static_cast<Built*>(built);
}

std::uint64_t bits(const void* built) {
  return 8 * of(built).section.size();
}

double cpu_ns_from_hashes(const void* built) {
  return of(built).cpu_ns_from_hashes;
}

/// As Mphf::lookup(), of which a user's loop has the same inline.
class Rank {
 public:
  explicit Rank(const mphf::Function& function)
      : function_(function), level_(&function.first_level()) {}
  std::uint64_t operator()(Hash128 hash) const noexcept {
    const std::uint32_t seed = level_->seed(level_->seed_place(hash));
    return seed != 0 ? level_->value(hash, seed) : function_.bumped_rank(hash);
  }

 private:
  const mphf::Function& function_;
  const detail::PhastLevel* level_;
};

void lookup(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  const Rank rank(*of(built).function);
  with_hash(*keys, [&](auto hash) {
    look_up_each(*keys, ranks, [&](std::size_t i) { return rank(hash(i)); });
  });
}

void lookup_dependent(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  const Rank rank(*of(built).function);
  with_hash(*keys, [&](auto hash) {
    look_up_dependent(*keys, ranks, [&](std::size_t i) { return rank(hash(i)); });
  });
}

void lookup_batch(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  const mphf::Function& function = *of(built).function;
  std::array<Hash128, api::kLookupBlock> hashes;
  with_hash(*keys, [&](auto hash) {
    for (std::size_t begin = 0; begin < keys->count; begin += hashes.size()) {
      const std::size_t size = std::min(hashes.size(), keys->count - begin);
      for (std::size_t i = 0; i < size; ++i) hashes[i] = hash(begin + i);
      function.ranks(std::span(hashes).first(size), ranks + begin);
    }
  });
}

/// Names as peer.h wants them: they live as long as the program.
const char* name_of(const mphf::Algorithm& algorithm) {
  static std::deque<std::string> names;
  return names.emplace_back("Crivo " + std::string(algorithm.name)).c_str();
}

/// peer.h has no room for what to build beside the keys, so that each row has a function of its
/// own.
constexpr std::size_t kMaxRows = 8;

template <std::size_t... kRows>
std::vector<Method> rows(std::index_sequence<kRows...>) {
  static constexpr std::array kBuilds{&build<kRows>...};
  std::vector<Method> methods;
  for (const mphf::Algorithm& algorithm : mphf::algorithms()) {
    methods.push_back({{name_of(algorithm), kBuilds.at(methods.size()), destroy, bits, lookup,
                        lookup_dependent, lookup_batch},
                       "Crivo",
                       cpu_ns_from_hashes});
  }
  return methods;
}

}  // namespace

std::vector<Method> crivo_methods() {
  return rows(std::make_index_sequence<kMaxRows>());
}

}  // namespace crivo::bench
