// SPDX-License-Identifier: Apache-2.0
#include "shards/file_parts.hpp"

#include <utility>

#include "structures/build/signatures.hpp"

namespace crivo::index {

FileParts::FileParts(const Parts& parts, const Recipe& recipe, const base::BuildContext& context)
    : parts_(parts), recipe_(recipe), keys_(recipe.header.keys), context_(context) {
  if (!recipe.store) return;
  records::CodecSection codec = common_codec(parts);
  longest_raw_ = codec.longest_raw;
  coding_ = records::RecordCoding::of(std::move(codec));
}

void FileParts::for_each_part(std::size_t index, const Step& step, const UsePart& use) {
  if (are_unbuilt(recipe_.header.kind, step.assembly()->partition_bits(), parts_.size())) {
    unbuilt_ = std::make_unique<UnbuiltParts>(parts_, index, recipe_, context_);
    unbuilt_->for_each_part(index, step, use);
    return;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    file::naming(parts_[i]->name(), [&] {
      parts_[i]->for_each_piece(index, [&](const PartFile::Piece& piece) {
        use({0, piece.part, piece.signatures, i});
        context_.progress.add(piece.part.body.size() + piece.part.notes.size());
      });
    });
  }
}

void FileParts::for_each_signatures(const mphf::Function& function, unsigned bits,
                                    const mphf::AppendSignatures& append) {
  if (unbuilt_) {  // the function is the only step beside signatures
    unbuilt_->for_each_signatures(function, bits, append);
    return;
  }
  for (const auto& part : parts_) {
    part->for_each_piece(0, [&](const PartFile::Piece& piece) {
      if (!append(piece.signatures))
        part->container().fail("damaged: its signatures belong to other keys");
      context_.progress.add(piece.signatures.size());
    });
  }
}

void FileParts::collect_bumped(const WrittenFunction& function, records::BumpedRecords& bumped) {
  const auto ranks = [&](std::span<const Hash128> hashes, std::uint64_t* found) {
    function.function->ranks(hashes, found);
  };
  for (const auto& part : parts_) {
    file::naming(part->name(), [&] {
      part->for_each_piece(kBumpedRecords, [&](const PartFile::Piece& piece) {
        bumped.add(piece.part.notes, ranks);
      });
    });
  }
}

std::uint64_t FileParts::for_each_entry(const UseEntry& use) {
  context_.progress.begin("write records", keys_);
  const auto use_one = [&](const records::PartEntry& entry) {
    use(entry);
    context_.progress.add(entry.records);
  };
  for (const auto& part : parts_)
    file::naming(part->name(), [&] { part->for_each_entry(coding_.type(), use_one); });
  return longest_raw_;
}

}  // namespace crivo::index
