// SPDX-License-Identifier: Apache-2.0
// Crivo and the peers between `compact` and `tiny`, by the harness of MPHF-Experiments.
//   comparison KEYS [ROUNDS [THREADS]]
#include <cstdlib>
#include <iostream>

#include "CrivoContender.h"
#include "bucketplacement/PhobicContender.h"
#include "consensus/ConsensusContender.h"
#include "shockhash/BipartiteShockHashContender.h"
#include "shockhash/BipartiteShockHashFlatContender.h"
#include "shockhash/MorphisHashContender.h"
#include "shockhash/MorphisHashFlatContender.h"

namespace {

using Phobic = PhobicContender<pthash::dense_interleaved<pthash::rice>,
                               pthash::table_bucketer<pthash::opt_bucketer>>;
using QuickPhobic = PhobicContender<pthash::dense_interleaved<pthash::compact>,
                                    pthash::table_bucketer<pthash::opt_bucketer>>;

// Each contender is gone before the next one is built.
void run_all(std::size_t N) {
  crivoContenderRunner(N);
  QuickPhobic(N, 1.0, 4.5).run();
  Phobic(N, 1.0, 6.5).run();
  Phobic(N, 1.0, 8.8).run();
  BipartiteShockHashFlatContender<40>(N).run();
  BipartiteShockHashFlatContender<64>(N).run();
  BipartiteShockHashFlatContender<80>(N).run();
  BipartiteShockHashContender<40>(N, 2000).run();
  MorphisHashFlatContender<40, 4, 2>(N).run();
  MorphisHashFlatContender<64, 4, 2>(N).run();
  MorphisHashFlatContender<82, 4, 2>(N).run();
  MorphisHashContender<40, 3>(N, 2000).run();
  MorphisHashContender<58, 3>(N, 2000).run();
  ConsensusContender<256, 0.1>(N).run();
  ConsensusContender<512, 0.03>(N).run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: comparison KEYS [ROUNDS [THREADS]]\n", 2;
  const std::size_t N = std::strtoull(argv[1], nullptr, 10);
  const unsigned long rounds = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  Contender::numThreads = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  Contender::numQueries = 10'000'000;
  Contender::seed = 1;
  for (unsigned long round = 0; round < rounds; ++round) run_all(N);
}
