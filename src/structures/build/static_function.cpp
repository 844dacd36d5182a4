// SPDX-License-Identifier: Apache-2.0
#include "structures/build/static_function.hpp"

#include <algorithm>

#include "structures/csf/build/histogram.hpp"

namespace crivo::map {

const Algorithm& Builder::algorithm() const noexcept {
  return *std::ranges::find_if(algorithms(), [this](const Algorithm& one) {
    return one.name == name && one.section_type == section_type;
  });
}

void Builder::build(const stream::HashSource& hashes, const Parameters& parameters,
                    const retrieval::ValueSource& values, const base::BuildContext& context,
                    base::Sink& sink) const {
  if (plan == nullptr) return build_whole(hashes, parameters, values, context, sink);
  Parameters all = parameters;
  csf::Histogram counts;
  if (compresses) {
    hashes.keep_order();
    counts = csf::histogram_of(hashes, values, context);
    all.counts = &counts;
  }
  crivo::build(*plan(hashes.size(), all, values), hashes, context, sink);
}

}  // namespace crivo::map
