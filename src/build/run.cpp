// SPDX-License-Identifier: Apache-2.0
#include "build/run.hpp"

#include <stdexcept>
#include <utility>

#include "structures/build/signatures.hpp"

namespace crivo::index {

void PartSource::build_whole(const Step& /*step*/, base::Sink& /*sink*/) {
  throw std::logic_error("a structure of all keys has no parts");
}

RecordParts& PartSource::records() {
  throw std::logic_error("these parts have no records");
}

RecordsInOrder& PartSource::records_in_order() {
  throw std::logic_error("these records are in no order of keys");
}

void NoParts::for_each_part(std::size_t /*index*/, const Step& /*step*/, const UsePart& /*use*/) {
  throw std::logic_error("there are no parts");
}

void NoParts::for_each_signatures(const mphf::Function& /*function*/, unsigned /*bits*/,
                                  const mphf::AppendSignatures& /*append*/) {
  throw std::logic_error("there are no parts");
}

void OwnParts::begin_phase(const Step& step) {
  context_.progress.begin(step.phase, step.keys->size());
}

void OwnParts::for_each_part(std::size_t /*index*/, const Step& step, const UsePart& use) {
  build_parts(*step.assembly, *step.keys, run_of_shard(step.assembly->partition_bits(), 0, 1),
              context_, [&](std::uint64_t partitions, Part part) {
                use({partitions, {part.body, part.notes}, part.signatures, 0, &part});
              });
}

void StepSink::write_step(const Step& /*step*/) {
  throw std::logic_error("sections of their own are no parts");
}

void run(Recipe& recipe, PartSource& source, StepSink& sink, const base::BuildContext& context) {
  sink.begin(recipe, context);
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    Step& step = recipe.steps[i];
    if (step.signature_bits != 0) {
      sink.add_signatures(step, source);
      continue;
    }
    if (step.write) {
      sink.write_step(step);
      continue;
    }
    if (step.choose) {
      exact::SectionKeys chosen = step.choose();
      if (chosen.keys == nullptr) continue;
      step.keys = std::move(chosen.keys);
      step.assembly = std::move(chosen.assembly);
    }
    if (step.phase != nullptr) source.begin_phase(step);
    base::Sink& section = sink.begin_step(i);
    if (step.assembly) {
      source.for_each_part(i, step, [&](const MadePart& part) { sink.add(part); });
    } else {
      source.build_whole(step, section);
    }
    sink.end_step();
    step.keys.reset();
    if (step.assembly.get() != recipe.function) step.assembly.reset();
  }
  if (recipe.store) sink.add_records(source);
}

}  // namespace crivo::index
