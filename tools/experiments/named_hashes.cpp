// SPDX-License-Identifier: Apache-2.0
#include "experiments/named_hashes.hpp"

#include <string>

#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "experiments/stopwatch.hpp"
#include "lookup/key_hash.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::experiments {

hashing::SeededHash seeded(const NamedHash& hash, std::uint64_t seed) {
  return {hashing::hash_family(hash.id), seed};
}

HashedKeySet hash_and_sort(const KeySet& keys, std::uint64_t count,
                           const hashing::SeededHash& hash) {
  const Stopwatch stopwatch;
  stream::GatheredKeys<stream::HashedValue> gathered(1);
  auto& writer = gathered.writer(0);
  for (std::uint64_t i = 0; i < count; ++i) writer.add({hash(keys[i]), i});
  Progress progress;
  const base::BuildContext context{1, progress};
  stream::StreamedKeys<stream::HashedValue>& sorted = gathered.finish();
  if (!sorted.drop_repeats(context).empty()) {
    throw Error(ErrorKind::bad_input,
                "two keys have one hash under seed " + std::to_string(hash.seed()));
  }
  const stream::KeySlice all = sorted.whole(context);
  const double seconds = stopwatch.seconds();
  return {stream::SortedHashes({all.hashes.begin(), all.hashes.end()},
                               {all.values.begin(), all.values.end()}),
          seconds};
}

}  // namespace crivo::experiments
