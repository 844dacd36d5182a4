// SPDX-License-Identifier: Apache-2.0
#include "structures/mphf.hpp"

#include "crivo/error.hpp"

namespace crivo::mphf {

void fail_equal_hashes() {
  throw Error(ErrorKind::bad_input,
              "no perfect hash function was found: keys have equal hashes; try another seed",
              {.remedy = "keyed_hash"});
}

std::unique_ptr<FunctionAssembly> Algorithm::build(
    const stream::HashSource& hashes, const BuildChoices& choices,
    const base::BuildContext& context, base::Sink& sink,
    const std::function<void(const Part& part)>& see) const {
  if (plan == nullptr) {
    build_whole(hashes, choices, context, sink);
    return nullptr;
  }
  std::unique_ptr<FunctionAssembly> assembly = plan(hashes.size(), choices);
  context.progress.begin("mphf", hashes.size());
  crivo::build(*assembly, hashes, context, sink, see);
  return assembly;
}

}  // namespace crivo::mphf
