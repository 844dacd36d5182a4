#include "coded/build.hpp"

#include <utility>

#include "coded/histogram.hpp"
#include "coded/level_builder.hpp"
#include "coded/plan.hpp"
#include "coded/section.hpp"

namespace crivo::coded {

void build(const keys::SortedHashes& hashes, const retrieval::ValueSource& values,
           const util::BuildContext& context, file::Sink& sink) {
  const Histogram histogram = histogram_of(hashes, values, context.threads);
  const std::vector<LevelPlan> plan = make_plan(histogram);
  sink.append(encode(
      Header{histogram.n, histogram.entropy, histogram.width, static_cast<unsigned>(plan.size())}));
  file::FieldWriter entries;
  keys::SortedHashes rest;  // after the first level, with the values of its keys
  Members members;
  for (unsigned level = 0; level < plan.size(); ++level) {
    Members escaped;
    entries.bytes(
        encode(build_level(level == 0 ? hashes : rest, level == 0 ? values : members.source(),
                           plan[level], level, histogram.width, context, sink, escaped)));
    rest = escaped.take_hashes();
    members = std::move(escaped);
  }
  sink.align(8);
  sink.append(entries.view());
}

}  // namespace crivo::coded
