#include "structures/csf/build.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "structures/csf/histogram.hpp"
#include "structures/csf/level_builder.hpp"
#include "structures/csf/plan.hpp"
#include "structures/csf/section.hpp"

namespace crivo::csf {

void build(const stream::KeySource& hashes, const retrieval::ValueSource& values,
           const base::BuildContext& context, base::Sink& sink) {
  hashes.keep_order();
  const Histogram histogram = histogram_of(hashes, values, context);
  const std::vector<LevelPlan> plan = make_plan(histogram);
  sink.append(encode(
      Header{histogram.n, histogram.entropy, histogram.width, static_cast<unsigned>(plan.size())}));
  base::FieldWriter entries;
  std::vector<std::unique_ptr<const stream::KeySource>> rest;  // of the levels after the first
  for (unsigned level = 0; level < plan.size(); ++level) {
    BuiltLevel built =
        build_level(level == 0 ? hashes : *rest.back(), level == 0 ? values : nullptr, plan[level],
                    level, histogram.width, context, sink);
    entries.bytes(encode(built.entry));
    rest.push_back(std::move(built.escaped));
  }
  sink.align(8);
  sink.append(entries.view());
}

}  // namespace crivo::csf
