// SPDX-License-Identifier: Apache-2.0
#include "build/run.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "structures/build/mphf.hpp"
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

BuiltParts::BuiltParts(const Recipe& recipe, const stream::HashSource& keys,
                       const base::BuildContext& context, const Share& shard, PartLog* log)
    : keys_(keys), context_(context), shard_(shard), log_(log), signatures_(context.scratch) {
  const auto of_keys = [](const Step& step) {
    return step.assembly() != nullptr || std::holds_alternative<StepOfAll>(step.form);
  };
  if (std::ranges::count_if(recipe.steps, of_keys) > 1) keys.keep_order();
}

void BuiltParts::begin_phase(const Step& step) {
  context_.progress.begin(step.phase, keys_of(step).size());
}

void BuiltParts::for_each_part(std::size_t index, const Step& step, const UsePart& use) {
  const Assembly& assembly = *step.assembly();
  MakePart make;
  if (log_ != nullptr) {
    make = [&](unsigned bits, std::uint64_t number, const stream::KeySlice& keys) {
      const PartLog::Place place{index, bits, number};
      if (auto found = log_->find(place)) return *std::move(found);
      Part part = assembly.build_part(bits, number, keys);
      log_->add(place, part);
      return part;
    };
  }
  build_parts(
      assembly, keys_of(step), run_of_shard(assembly.partition_bits(), shard_.index, shard_.count),
      context_,
      [&](std::uint64_t partitions, Part part) {
        use({partitions, {part.body, part.notes}, part.signatures, 0, &part});
        note_part(part);
      },
      make);
}

void BuiltParts::build_whole(const StepOfAll& step, base::Sink& sink) {
  step.build(keys_, context_, sink);
  is_whole_ = true;
  note_whole();
}

void BuiltParts::for_each_signatures(const mphf::Function& function, unsigned bits,
                                     const mphf::AppendSignatures& append) {
  std::uint64_t behind = function.size();  // what was appended
  const auto append_some = [&](base::ByteView some) {
    if (!append(some)) throw std::logic_error("signatures of more keys than there are");
    context_.progress.add(some.size() / (bits / 8));
    behind -= some.size() / (bits / 8);
  };
  if (is_whole_) {
    append_some(mphf::signatures_of_all(keys_, function, bits, context_));
  } else {
    signatures_.for_each(append_some);
  }
  context_.progress.add(behind);
}

void OutputFiles::begin(const Recipe& recipe, const base::BuildContext& context) {
  recipe_ = &recipe;
  context_ = &context;
  function_.reset();
  asked_.clear();
  writer_ = &begin_index(recipe.tree);
}

base::Sink& OutputFiles::begin_step(std::size_t index) {
  step_ = index;
  const Step& step = recipe_->steps[index];
  section_ = &writer_->begin_section(step.section_type, step.tag);
  if (Assembly* const assembly = step.assembly()) assembly->begin(*context_, *section_);
  return *section_;
}

void OutputFiles::add(const MadePart& part) {
  recipe_->steps[step_].assembly()->join(part.part, *section_);
}

void OutputFiles::end_step() {
  const Step& step = recipe_->steps[step_];
  if (Assembly* const assembly = step.assembly()) {
    assembly->finish(*context_, *section_);
    const SectionEnds ends = assembly->looked_at_first();
    if (ends.tail != 0 && file::tags_of(recipe_->header.kind, file::kDirectorySection) != 0)
      writer_->copy_ends(ends.head, ends.tail);
  }
  if (step_ == 0 && recipe_->ranks_are_needed())
    function_ = std::make_unique<WrittenFunction>(*recipe_->ranked, *writer_);
  if (const auto* const parts = std::get_if<StepInParts>(&step.form); parts && parts->answer) {
    asked_.push_back(writer_->map_section());
    parts->answer(asked_.back().bytes);
  }
}

base::Sink& OutputFiles::begin_section(std::uint32_t type, std::uint64_t tag) {
  return writer_->begin_section(type, tag);
}

void OutputFiles::add_signatures(const Step& step, unsigned bits, const Sources& sources) {
  sources.parts->begin_phase(step);
  const mphf::Function& function = *function_->function;
  mphf::write_signatures(
      function, bits,
      recipe_->function != nullptr ? recipe_->function->bumped() : mphf::BumpedKeys(), *context_,
      writer_->begin_section(step.section_type), [&](const mphf::AppendSignatures& append) {
        sources.signatures->for_each_signatures(function, bits, append);
      });
}

void OutputFiles::add_records(const Sources& sources) {
  write_records(sources, function_.get(), recipe_->header, *context_);
}

}  // namespace crivo::index
