#include "experiments/named_hashes.hpp"

#include <string>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "experiments/stopwatch.hpp"
#include "index/key_hash.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::experiments {

hashing::SeededHash seeded(const NamedHash& hash, std::uint64_t seed) {
  return {hashing::hash_family(hash.id), seed};
}

HashedKeySet hash_and_sort(const KeySet& keys, std::uint64_t count, const hashing::SeededHash& hash,
                           unsigned threads) {
  const Stopwatch stopwatch;
  stream::GatheredKeys<Hash128> gathered(threads);
  base::run_threads(threads, [&](unsigned thread) {
    auto& writer = gathered.writer(thread);
    const std::uint64_t end = count * (thread + 1) / threads;
    for (std::uint64_t i = count * thread / threads; i < end; ++i) writer.add(hash(keys[i]));
  });
  Progress progress;
  const base::BuildContext context{threads, progress};
  stream::StreamedKeys<Hash128>& sorted = gathered.finish();
  if (!sorted.drop_repeats(context).empty()) {
    throw Error(ErrorKind::bad_input,
                "two keys have one hash under seed " + std::to_string(hash.seed()));
  }
  const std::span<const Hash128> all = sorted.whole(context).hashes;
  const double seconds = stopwatch.seconds();
  return {stream::SortedHashes({all.begin(), all.end()}), seconds};
}

}  // namespace crivo::experiments
