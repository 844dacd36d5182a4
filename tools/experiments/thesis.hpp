// SPDX-License-Identifier: Apache-2.0
/// The experiments of the thesis (USP, 2022): its dictionaries of chapters 2 and 4, which it
/// describes, and its chapter 5, which it measures.
#pragma once

#include "experiments/experiment.hpp"

namespace crivo::experiments {

Experiment dictionaries_experiment();  ///< the dictionaries of all documents side by side
Experiment hyphenation_experiment();   ///< Figures 5.1 to 5.6
Experiment exceptions_experiment();    ///< Bloom's own case, and Portuguese

}  // namespace crivo::experiments
