#include "coded/build.hpp"

#include <utility>

#include "coded/histogram.hpp"
#include "coded/level_builder.hpp"
#include "coded/plan.hpp"
#include "coded/section.hpp"

namespace crivo::coded {

void build(const stream::KeySource& hashes, const retrieval::ValueSource& values,
           const util::BuildContext& context, file::Sink& sink) {
  const Histogram histogram = histogram_of(hashes, values, context);
  const std::vector<LevelPlan> plan = make_plan(histogram);
  sink.append(encode(
      Header{histogram.n, histogram.entropy, histogram.width, static_cast<unsigned>(plan.size())}));
  file::FieldWriter entries;
  stream::SortedHashes rest;  // of the levels after the first, whose keys bring their values along
  for (unsigned level = 0; level < plan.size(); ++level) {
    Members escaped;
    entries.bytes(encode(
        level == 0
            ? build_level(hashes, values, plan[0], 0, histogram.width, context, sink, escaped)
            : build_level(rest, {}, plan[level], level, histogram.width, context, sink, escaped)));
    rest = escaped.take();
  }
  sink.align(8);
  sink.append(entries.view());
}

}  // namespace crivo::coded
