// SPDX-License-Identifier: Apache-2.0
#include "build/output_files.hpp"

#include <stdexcept>

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
  if (step.assembly) step.assembly->begin(*context_, *section_);
  return *section_;
}

void OutputFiles::add(const MadePart& part) {
  recipe_->steps[step_].assembly->join(part.part, *section_);
}

void OutputFiles::end_step() {
  const Step& step = recipe_->steps[step_];
  if (step.assembly) {
    step.assembly->finish(*context_, *section_);
    const SectionEnds ends = step.assembly->looked_at_first();
    if (ends.tail != 0 && file::tags_of(recipe_->header.kind, file::kDirectorySection) != 0)
      writer_->copy_ends(ends.head, ends.tail);
  }
  if (step_ == 0 && recipe_->ranks_are_needed())
    function_ = std::make_unique<WrittenFunction>(*recipe_->ranked, *writer_);
  if (step.answer) {
    asked_.push_back(writer_->map_section());
    step.answer(asked_.back().bytes);
  }
}

void OutputFiles::write_step(const Step& step) {
  step.write([&](std::uint32_t type, std::uint64_t tag) -> base::Sink& {
    return writer_->begin_section(type, tag);
  });
}

void OutputFiles::add_signatures(const Step& step, PartSource& source) {
  source.begin_phase(step);
  const mphf::Function& function = *function_->function;
  mphf::write_signatures(
      function, step.signature_bits,
      recipe_->function != nullptr ? recipe_->function->bumped() : mphf::BumpedKeys(), *context_,
      writer_->begin_section(step.section_type), [&](const mphf::AppendSignatures& append) {
        source.for_each_signatures(function, step.signature_bits, append);
      });
}

void OutputFiles::add_records(PartSource& source) {
  write_records(source, function_.get(), recipe_->header, *context_);
}

void OutputFiles::write_records(PartSource& /*source*/, const WrittenFunction* /*function*/,
                                const file::Header& /*header*/,
                                const base::BuildContext& /*context*/) {
  throw std::logic_error("this file has no records");
}

}  // namespace crivo::index
