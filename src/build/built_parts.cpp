// SPDX-License-Identifier: Apache-2.0
#include "build/built_parts.hpp"

#include <algorithm>
#include <stdexcept>

#include "structures/build/signatures.hpp"

namespace crivo::index {

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

}  // namespace crivo::index
