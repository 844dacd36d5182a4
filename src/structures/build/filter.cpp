// SPDX-License-Identifier: Apache-2.0
#include "structures/build/filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse_option.hpp"

namespace crivo::filter {

const Type& Builder::type() const noexcept {
  return *std::ranges::find(types(), name, &Type::name);
}

void Builder::build(const stream::HashSource& hashes, const FilterOptions& options,
                    const base::BuildContext& context, base::Sink& sink) const {
  if (plan == nullptr) return build_whole(hashes, options, context, sink);
  const std::unique_ptr<Assembly> assembly = plan(hashes.size(), options);
  context.progress.begin("filter", hashes.size());
  crivo::build(*assembly, hashes, context, sink);
}
const Builder& builder_of(const Type& type) noexcept {
  return *std::ranges::find(builders(), type.name, &Builder::name);
}

double asked_fpr(const FilterOptions& options) {
  const double fpr = options.fpr.value_or(1.0 / 256);
  if (!(fpr < 1) || !(fpr >= std::ldexp(1.0, -32))) {
    base::refuse_option("fpr", fpr, "is not between 2^-32 and 1");
  }
  return fpr;
}

}  // namespace crivo::filter
