#include "experiments/dissertation_mphf.hpp"

namespace crivo::experiments {

void report_mphf(const Results&, Report&) {}

}  // namespace crivo::experiments
