// SPDX-License-Identifier: Apache-2.0
#include "builds/run.hpp"

#include <optional>
#include <stdexcept>

namespace crivo::index {

void PartSource::build_whole(const Step& /*step*/, base::Sink& /*sink*/) {
  throw std::logic_error("a structure of all keys has no parts");
}

RecordParts& PartSource::records() {
  throw std::logic_error("these parts have no records");
}

void OutputFiles::write_records(RecordParts& /*records*/, const WrittenFunction& /*function*/,
                                const base::BuildContext& /*context*/, file::Header& /*header*/) {
  throw std::logic_error("this file has no records");
}

void run(Recipe& recipe, PartSource& source, OutputFiles& files, const base::BuildContext& context,
         file::Header& header) {
  file::ContainerWriter& writer = files.begin();
  std::optional<WrittenFunction> function;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    Step& step = recipe.steps[i];
    if (step.phase != nullptr) source.begin_phase(step.phase, header.keys);
    base::Sink& sink = writer.begin_section(step.section_type);
    if (step.signature_bits != 0) {
      mphf::write_signatures(
          *function->function, step.signature_bits,
          recipe.function != nullptr ? recipe.function->strays() : mphf::Strays(), context, sink,
          [&](const mphf::AppendSignatures& append) {
            source.for_each_signatures(*function->function, step.signature_bits, append);
          });
    } else if (step.assembly) {
      step.assembly->begin(context, sink);
      source.for_each_part(i, *step.assembly,
                           [&](const PartView& part) { step.assembly->join(part, sink); });
      step.assembly->finish(context, sink);
    } else {
      source.build_whole(step, sink);
    }
    if (i == 0 && recipe.ranks_are_needed()) {
      function.emplace(*recipe.ranked, writer);
    } else if (step.assembly.get() != recipe.function) {
      step.assembly.reset();
    }
  }
  if (recipe.store) files.write_records(source.records(), *function, context, header);
}

}  // namespace crivo::index
