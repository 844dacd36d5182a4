// SPDX-License-Identifier: Apache-2.0
#include "structures/mphf.hpp"

namespace crivo::mphf {

std::vector<Hash128> Algorithm::build(const stream::KeySource& hashes, const BuildChoices& choices,
                                      const base::BuildContext& context, base::Sink& sink) const {
  if (plan == nullptr) {
    build_whole(hashes, choices, context, sink);
    return {};
  }
  const std::unique_ptr<FunctionAssembly> assembly = plan(hashes.size(), choices);
  context.progress.begin("mphf", hashes.size());
  crivo::build(*assembly, hashes, context, sink);
  return choices.wants_strays ? assembly->strays(context) : std::vector<Hash128>();
}

}  // namespace crivo::mphf
