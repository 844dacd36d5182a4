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

/// Joins the pieces of a section of all parts.
void join_section(const Parts& parts, std::size_t index, Assembly& assembly,
                  const base::BuildContext& context, base::Sink& sink) {
  assembly.begin(context, sink);
  for (const auto& part : parts) {
    file::naming(part->name(), [&] {
      part->for_each_piece(index, [&](const PartFile::Piece& piece) {
        assembly.join(piece.part, sink);
        context.progress.add(piece.part.body.size() + piece.part.notes.size());
      });
    });
  }
  assembly.finish(context, sink);
}

/// The signatures of the parts, with those of strays where their ranks are.
void join_signatures(const Parts& parts, const index::PartPlan& plan,
                     const mphf::Function& function, const base::BuildContext& context,
                     base::Sink& sink) {
  mphf::SignatureJoin join(function.size(), plan.signature_bits,
                           mphf::RankedStrays(plan.function->strays(), function, context), sink);
  for (const auto& part : parts) {
    part->for_each_piece(0, [&](const PartFile::Piece& piece) {
      if (!join.append(piece.signatures))
        part->container().fail("damaged: it has signatures of other keys");
      context.progress.add(piece.signatures.size());
    });
  }
  join.finish();
}

BuildSummary merge_store(const Parts& parts, const index::PartPlan& plan,
                         const StoreOptions& options, const file::OutputTarget& target,
                         const BuildOptions& how, index::BuildFrame& frame) {
  const index::StorePlan store(options);
  const base::BuildContext context = frame.context();
  const records::CodecSection codec = index::common_codec(parts);
  index::StoreOutput files(target, options, store);
  file::ContainerWriter& writer = files.begin();
  join_section(parts, 0, *plan.function, context, writer.begin_section(plan.sections[0].type));
  const auto section = writer.map_section();
  const auto function = store.algorithm.open(section.bytes);
  if (plan.signature_bits != 0) {
    join_signatures(parts, plan, *function, context, writer.begin_section(file::kSignatureSection));
  }
  const auto ranks = [&](std::span<const Hash128> hashes, std::uint64_t* found) {
    function->ranks(hashes, found);
  };
  file::Header header = plan.header;
  records::StrayRecords strays(frame.temp_dir(), header.keys, frame.budget().bytes);
  for (const auto& part : parts) {
    file::naming(part->name(), [&] {
      part->for_each_piece(index::kStrayRecords, [&](const PartFile::Piece& piece) {
        strays.add(piece.part.notes, ranks);
      });
    });
  }
  context.progress.begin("write records", header.keys);
  files.write_records(
      records::RecordCoding::of(codec),
      [&](const index::StoreOutput::UseEntry& use) {
        const auto use_one = [&](const records::PartEntry& entry) {
          use(entry);
          context.progress.add(entry.records);
        };
        for (const auto& part : parts)
          file::naming(part->name(), [&] { part->for_each_entry(codec.type(), use_one); });
        return codec.longest_raw;
      },
      strays, context, header);
  frame.note_built();
  files.finish(header, index::with_notes(plan.metadata, how));
  return files.publish(frame, header, strays.temp_bytes());
}

}  // namespace

BuildSummary merge_parts(const std::vector<std::filesystem::path>& paths,
                         const std::filesystem::path& output, const BuildOptions& options) try {
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : paths) inputs.paths.push_back(path.string());
  const Parts parts = index::open_parts(paths);
  const bool is_store = parts.front()->head().kind == file::Kind::store;
  const file::OutputTarget target =
      is_store ? frame.output_directory(output, index::store_file_families(), inputs)
               : frame.output_file(output, inputs);
  // The file is made at once, so that what cannot be written is told before any work.
  std::unique_ptr<file::PendingFile> file;
  if (!is_store) file = std::make_unique<file::PendingFile>(target);
  const std::uint64_t bytes = index::bytes_of(parts);
  const base::BuildContext context = frame.context();
  context.progress.begin("verify", bytes, Progress::Unit::bytes);
  for (const auto& part : parts) {
    part->verify(context.threads, [&](std::uint64_t some) { context.progress.add(some); });
  }
  index::PartPlan plan = index::common_plan(parts);
  frame.require_memory(parts.front()->name(), plan.header.keys, index::merge_memory(plan.memory),
                       "a merge");
  frame.note_merged(plan.header.keys);

  context.progress.begin("merge", bytes, Progress::Unit::bytes);
  if (plan.store) return merge_store(parts, plan, *plan.store, target, options, frame);
  file::ContainerWriter writer(*file);
  for (std::size_t i = 0; i < plan.sections.size(); ++i) {
    join_section(parts, i, *plan.sections[i].assembly, context,
                 writer.begin_section(plan.sections[i].type));
  }
  if (plan.signature_bits != 0) {
    const auto section = writer.map_section();
    const auto function = index::find_algorithm(plan.algorithm).open(section.bytes);
    join_signatures(parts, plan, *function, context, writer.begin_section(file::kSignatureSection));
  }
  frame.note_built();
  const auto written = writer.finish(plan.header, index::with_notes(plan.metadata, options));
  BuildSummary summary = frame.summarize(plan.header, plan.algorithm, written);
  index::describe_built(*file, output, summary);
  frame.note_published(file->publish(), summary);
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
