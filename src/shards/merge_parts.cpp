// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/built_file.hpp"
#include "builds/notes.hpp"
#include "builds/store_output.hpp"
#include "crivo/shards.hpp"
#include "file/section_types.hpp"
#include "opening/rank_index.hpp"
#include "opening/store_files.hpp"
#include "shards/part_file.hpp"
#include "shards/part_plan.hpp"
#include "shards/part_set.hpp"

namespace crivo {
namespace {

using index::PartFile;
using index::Parts;

/// Those of the parts' files.
class FileParts final : public index::PartSource, public index::RecordParts {
 public:
  /// `parts` outlive this.
  FileParts(const Parts& parts, const index::Recipe& recipe, const base::BuildContext& context)
      : parts_(parts), keys_(recipe.header.keys), context_(context) {
    if (!recipe.store) return;
    records::CodecSection codec = index::common_codec(parts);
    longest_raw_ = codec.longest_raw;
    coding_ = records::RecordCoding::of(std::move(codec));
  }

  void for_each_part(std::size_t index, const Assembly& /*assembly*/, const UsePart& use) override {
    for (const auto& part : parts_) {
      file::naming(part->name(), [&] {
        part->for_each_piece(index, [&](const PartFile::Piece& piece) {
          use(piece.part);
          context_.progress.add(piece.part.body.size() + piece.part.notes.size());
        });
      });
    }
  }

  void for_each_signatures(const mphf::Function& /*function*/, unsigned /*bits*/,
                           const mphf::AppendSignatures& append) override {
    for (const auto& part : parts_) {
      part->for_each_piece(0, [&](const PartFile::Piece& piece) {
        if (!append(piece.signatures))
          part->container().fail("damaged: it has signatures of other keys");
        context_.progress.add(piece.signatures.size());
      });
    }
  }

  RecordParts& records() override { return *this; }
  const records::RecordCoding& coding() const noexcept override { return coding_; }

  void collect_strays(const index::WrittenFunction& function,
                      records::StrayRecords& strays) override {
    const auto ranks = [&](std::span<const Hash128> hashes, std::uint64_t* found) {
      function.function->ranks(hashes, found);
    };
    for (const auto& part : parts_) {
      file::naming(part->name(), [&] {
        part->for_each_piece(index::kStrayRecords, [&](const PartFile::Piece& piece) {
          strays.add(piece.part.notes, ranks);
        });
      });
    }
  }

  std::uint64_t for_each_entry(const UseEntry& use) override {
    context_.progress.begin("write records", keys_);
    const auto use_one = [&](const records::PartEntry& entry) {
      use(entry);
      context_.progress.add(entry.records);
    };
    for (const auto& part : parts_)
      file::naming(part->name(), [&] { part->for_each_entry(coding_.type(), use_one); });
    return longest_raw_;
  }

 private:
  const Parts& parts_;
  std::uint64_t keys_;
  base::BuildContext context_;
  records::RecordCoding coding_;  // of a store
  std::uint64_t longest_raw_ = 0;
};

}  // namespace

BuildSummary merge_parts(const std::vector<std::filesystem::path>& paths,
                         const std::filesystem::path& output, const BuildOptions& options) try {
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : paths) inputs.paths.push_back(path.string());
  const Parts parts = index::open_parts(paths);
  std::unique_ptr<index::OutputFiles> files;
  // The file is made at once, so that what cannot be written is told before any work.
  const bool is_store = parts.front()->head().kind == file::Kind::store;
  const file::OutputTarget target =
      is_store ? frame.output_directory(output, index::store_file_families(), inputs)
               : frame.output_file(output, inputs);
  if (!is_store) files = std::make_unique<index::BuiltFile>(target, output.string());
  const std::uint64_t bytes = index::bytes_of(parts);
  const base::BuildContext context = frame.context();
  context.progress.begin("verify", bytes, Progress::Unit::bytes);
  for (const auto& part : parts) {
    part->verify(context.threads, [&](std::uint64_t some) { context.progress.add(some); });
  }
  index::Recipe recipe = index::common_plan(parts);
  file::Header header = recipe.header;
  frame.require_memory(parts.front()->name(), header.keys, index::merge_memory(recipe.memory),
                       "a merge");
  frame.note_merged(header.keys);

  context.progress.begin("merge", bytes, Progress::Unit::bytes);
  if (recipe.store) files = std::make_unique<index::StoreOutput>(target, *recipe.store, frame);
  FileParts source(parts, recipe, context);
  index::run(recipe, source, *files, context, header);
  frame.note_built();
  files->finish(header, index::with_notes(recipe.metadata, options));
  return files->publish(frame, header, recipe.algorithm);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
