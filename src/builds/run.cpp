// SPDX-License-Identifier: Apache-2.0
#include "builds/run.hpp"

#include <stdexcept>

namespace crivo::index {

void PartSource::build_whole(const Step& /*step*/, base::Sink& /*sink*/) {
  throw std::logic_error("a structure of all keys has no parts");
}

RecordParts& PartSource::records() {
  throw std::logic_error("these parts have no records");
}

void run(Recipe& recipe, PartSource& source, StepSink& sink, const base::BuildContext& context) {
  sink.begin(recipe, context);
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    Step& step = recipe.steps[i];
    if (step.signature_bits != 0) {
      sink.add_signatures(step, source);
      continue;
    }
    if (step.phase != nullptr) source.begin_phase(step.phase);
    base::Sink& section = sink.begin_step(i);
    if (step.assembly) {
      source.for_each_part(i, *step.assembly, [&](const MadePart& part) { sink.add(part); });
    } else {
      source.build_whole(step, section);
    }
    sink.end_step();
    if (step.assembly.get() != recipe.function) step.assembly.reset();
  }
  if (recipe.store) sink.add_records(source);
}

}  // namespace crivo::index
