// SPDX-License-Identifier: Apache-2.0
#include "CrivoContender.h"

void crivoContenderRunner(size_t N) {
  for (const char* algorithm : {"fast", "compact", "tiny"}) {
    for (unsigned effort = 0; effort <= (algorithm[0] == 'f' ? 0U : 2U); ++effort)
      CrivoContender(N, algorithm, effort).run();
  }
}
