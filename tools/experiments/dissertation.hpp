// SPDX-License-Identifier: Apache-2.0
/// The experiments of the dissertation (F. C. Botelho, "Estudo Comparativo do Uso de Hashing
/// Perfeito Minimo", UFMG, 2004), its chapter 4. Its terms: hu, hz and hj are the universal,
/// Zobrist's and Jenkins's hash; a load is n / m; N_i counts graphs, N_Ih20 functions h20, N_AL
/// alignments of a pattern.
#pragma once

#include "experiments/experiment.hpp"

namespace crivo::experiments {

Experiment key_sets_experiment();        ///< Table 4.2
Experiment linear_probing_experiment();  ///< Tables 4.3 and 4.4, collisions
Experiment mphf_experiment();            ///< their times, and Tables 4.5 to 4.12
Experiment growth_experiment();          ///< Tables 4.13 to 4.17, Figures 4.1 and 4.2
Experiment fch_buckets_experiment();     ///< Figures 4.3 and 4.4
Experiment faithful_experiment();        ///< N_i with the document's own functions

}  // namespace crivo::experiments
