#include "experiments/dissertation_fch_buckets.hpp"

namespace crivo::experiments {

void report_fch_buckets(const Results&, Report&) {}

}  // namespace crivo::experiments
