/// The experiments of the dissertation (F. C. Botelho, "Estudo Comparativo do Uso de Hashing
/// Perfeito Minimo", UFMG, 2004), its chapter 4. Its terms: hu, hz and hj are the universal,
/// Zobrist's and Jenkins's hash; alpha is the load factor n / m.
#pragma once

#include "experiments/experiment.hpp"

namespace crivo::experiments {

Experiment key_sets_experiment();  ///< Table 4.2

}  // namespace crivo::experiments
