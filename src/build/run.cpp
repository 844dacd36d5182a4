// SPDX-License-Identifier: Apache-2.0
#include "build/run.hpp"

#include <utility>
#include <variant>

#include "structures/build/signatures.hpp"

namespace crivo::index {
namespace {

/// One step of a run, by its form.
struct StepRun {
  const Recipe& recipe;
  const Sources& sources;
  StepSink& sink;
  std::size_t index;

  const Step& step() const noexcept { return recipe.steps[index]; }
  void begin_phase() const {
    if (step().phase != nullptr) sources.parts->begin_phase(step());
  }

  void operator()(StepInParts& form) const {
    if (form.choose) {
      exact::SectionKeys chosen = form.choose();
      if (chosen.keys == nullptr) return;
      form.keys = std::move(chosen.keys);
      form.assembly = std::move(chosen.assembly);
    }
    begin_phase();
    sink.begin_step(index);
    sources.parts->for_each_part(index, step(), [&](const MadePart& part) { sink.add(part); });
    sink.end_step();
    form.keys.reset();
    if (form.assembly.get() != recipe.function) form.assembly.reset();
  }

  void operator()(const StepOfAll& form) const {
    begin_phase();
    sources.whole->build_whole(form, sink.begin_step(index));
    sink.end_step();
  }

  void operator()(const StepOfSignatures& form) const {
    sink.add_signatures(step(), form.bits, sources);
  }

  void operator()(const StepWritten& form) const {
    form.write([&](std::uint32_t type, std::uint64_t tag) -> base::Sink& {
      return sink.begin_section(type, tag);
    });
  }
};

const stream::HashSource& chosen_keys(const Step& step) {
  return *std::get<StepInParts>(step.form).keys;
}

}  // namespace

void OwnParts::begin_phase(const Step& step) {
  context_.progress.begin(step.phase, chosen_keys(step).size());
}

void OwnParts::for_each_part(std::size_t /*index*/, const Step& step, const UsePart& use) {
  const Assembly& assembly = *step.assembly();
  build_parts(assembly, chosen_keys(step), run_of_shard(assembly.partition_bits(), 0, 1), context_,
              [&](std::uint64_t partitions, Part part) {
                use({partitions, {part.body, part.notes}, part.signatures, 0, &part});
              });
}

void run(Recipe& recipe, const Sources& sources, StepSink& sink,
         const base::BuildContext& context) {
  sink.begin(recipe, context);
  for (std::size_t i = 0; i < recipe.steps.size(); ++i)
    std::visit(StepRun{recipe, sources, sink, i}, recipe.steps[i].form);
  if (recipe.store) sink.add_records(sources);
}

}  // namespace crivo::index
