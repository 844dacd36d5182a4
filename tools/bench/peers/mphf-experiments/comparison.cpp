// SPDX-License-Identifier: Apache-2.0
// Crivo and the peers between `compact` and `tiny`, by the harness of MPHF-Experiments.
//   comparison KEYS [THREADS]
#include <cstdlib>
#include <iostream>

#include "CrivoContender.h"
#include "shockhash/BipartiteShockHashFlatContender.h"
#include "shockhash/MorphisHashContender.h"
#include "shockhash/MorphisHashFlatContender.h"

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: comparison KEYS [THREADS]\n", 2;
  const size_t N = std::strtoull(argv[1], nullptr, 10);
  Contender::numThreads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Contender::numQueries = 10'000'000;
  Contender::seed = 1;
  crivoContenderRunner(N);
  BipartiteShockHashFlatContender<40>(N).run();
  BipartiteShockHashFlatContender<64>(N).run();
  BipartiteShockHashFlatContender<80>(N).run();
  MorphisHashFlatContender<40, 4, 2>(N).run();
  MorphisHashFlatContender<64, 4, 2>(N).run();
  MorphisHashFlatContender<82, 4, 2>(N).run();
  MorphisHashContender<40, 3>(N, 2000).run();
  MorphisHashContender<58, 3>(N, 2000).run();
}
