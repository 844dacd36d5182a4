#include "experiments/thesis_dictionaries.hpp"

namespace crivo::experiments {

void report_dictionaries(const Results&, Report&) {}

}  // namespace crivo::experiments
