// SPDX-License-Identifier: Apache-2.0
#include "build/output_files.hpp"

#include <variant>

#include "structures/build/mphf.hpp"
#include "structures/build/signatures.hpp"

namespace crivo::index {

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
