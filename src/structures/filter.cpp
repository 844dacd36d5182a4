#include "structures/filter.hpp"

#include <cmath>

#include "crivo/error.hpp"

namespace crivo::filter {

double asked_fpr(const FilterOptions& options) {
  const double fpr = options.fpr.value_or(1.0 / 256);
  if (!(fpr < 1) || !(fpr >= std::ldexp(1.0, -32))) {
    throw Error(ErrorKind::usage, "the false-positive rate must be below 1 and at least 2^-32");
  }
  return fpr;
}

}  // namespace crivo::filter
