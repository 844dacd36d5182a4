#include "structures/static_function.hpp"

namespace crivo::map {

void Algorithm::build(const stream::KeySource& hashes, const Parameters& parameters,
                      const retrieval::ValueSource& values, const base::BuildContext& context,
                      base::Sink& sink) const {
  if (plan == nullptr) return build_all(hashes, parameters, values, context, sink);
  crivo::build(*plan(hashes.size(), parameters, values), hashes, context, sink);
}

}  // namespace crivo::map
