#include "coded/build.hpp"

#include <utility>

#include "coded/histogram.hpp"
#include "coded/level_builder.hpp"
#include "coded/plan.hpp"
#include "coded/section.hpp"

namespace crivo::coded {

void build(const stream::KeySource& hashes, const retrieval::ValueSource& values,
           const util::BuildContext& context, file::Sink& sink) {
  stream::KeySlice keys = hashes.whole(context);
  std::vector<std::uint64_t> given;  // where the keys do not bring them along
  if (values) {
    given = retrieval::values_of<std::uint64_t>(keys, values);
    keys.values = given;
  }
  const Histogram histogram = histogram_of(keys, context.threads);
  const std::vector<LevelPlan> plan = make_plan(histogram);
  sink.append(encode(
      Header{histogram.n, histogram.entropy, histogram.width, static_cast<unsigned>(plan.size())}));
  file::FieldWriter entries;
  stream::SortedHashes rest;  // after the first level
  for (unsigned level = 0; level < plan.size(); ++level) {
    Members escaped;
    entries.bytes(encode(build_level(level == 0 ? keys : rest.all(), plan[level], level,
                                     histogram.width, context, sink, escaped)));
    rest = escaped.take();
  }
  sink.align(8);
  sink.append(entries.view());
}

}  // namespace crivo::coded
