// SPDX-License-Identifier: Apache-2.0
#include "structures/build/mphf.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::mphf {

void fail_equal_hashes() {
  throw Error(ErrorKind::bad_input,
              "no perfect hash function was found: keys have equal hashes; try another seed",
              {.remedy = "keyed_hash"});
}

const Algorithm& Builder::algorithm() const noexcept {
  return *std::ranges::find(algorithms(), name, &Algorithm::name);
}

std::unique_ptr<FunctionAssembly> Builder::build(
    const stream::HashSource& hashes, const BuildChoices& choices,
    const base::BuildContext& context, base::Sink& sink,
    const std::function<void(const Part& part)>& visit) const {
  if (plan == nullptr) {
    build_whole(hashes, choices, context, sink);
    return nullptr;
  }
  std::unique_ptr<FunctionAssembly> assembly = plan(hashes.size(), choices);
  context.progress.begin("mphf", hashes.size());
  crivo::build(*assembly, hashes, context, sink, visit);
  return assembly;
}

}  // namespace crivo::mphf
