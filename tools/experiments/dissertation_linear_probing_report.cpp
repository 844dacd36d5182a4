#include "experiments/dissertation_linear_probing.hpp"

namespace crivo::experiments {

void report_linear_probing(const Results&, Report&) {}

}  // namespace crivo::experiments
