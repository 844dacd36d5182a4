#include "experiments/dissertation_growth.hpp"

namespace crivo::experiments {

void report_growth(const Results&, Report&) {}

}  // namespace crivo::experiments
