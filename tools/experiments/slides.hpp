// SPDX-License-Identifier: Apache-2.0
/// The experiment of the slides on Bloom filters (MPEI, 2019), and of the short text.
#pragma once

#include "experiments/experiment.hpp"

namespace crivo::experiments {

Experiment bloom_rate_experiment();  ///< false-positive rate against k and cells a key

}  // namespace crivo::experiments
