// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "build/notes.hpp"
#include "build/store_output.hpp"
#include "crivo/build/shards.hpp"
#include "lookup/store_files.hpp"
#include "shards/dictionary_parts.hpp"
#include "shards/exact_parts.hpp"
#include "shards/file_parts.hpp"
#include "shards/filter_set_parts.hpp"
#include "shards/part_exchange.hpp"
#include "shards/part_set.hpp"

namespace crivo {
BuildSummary merge_parts(const std::vector<std::filesystem::path>& paths,
                         const std::filesystem::path& output, const BuildOptions& options) try {
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : paths) inputs.paths.push_back(path.string());
  const index::PartExchange exchange(options);
  index::get_missing_parts(exchange, paths);
  const index::Parts parts = index::open_parts(paths);
  std::unique_ptr<index::OutputFiles> files;
  // The file is made at once, so that what cannot be written is told before any work.
  const bool is_store = parts.front()->head().kind == file::Kind::store;
  if (is_store && exchange.puts())
    throw Error(
        ErrorKind::usage,
        output.string() + ": a store is a directory, which cannot be put; only get its parts",
        {.file = output.string(), .remedy = "get"});
  const file::OutputTarget target =
      is_store ? frame.outputs().directory(output, index::store_file_families(), inputs)
               : frame.outputs().file(output, inputs);
  if (!is_store) files = std::make_unique<index::BuiltFile>(target, output.string());
  const std::uint64_t bytes = index::bytes_of(parts);
  const base::BuildContext context = frame.context();
  context.progress.begin("verify", bytes, Progress::Unit::bytes);
  for (const auto& part : parts) {
    part->verify(context.threads, [&](std::uint64_t some) { context.progress.add(some); });
  }
  if (index::is_listed(*parts.front())) {
    frame.summary().end_reading_parts(parts.front()->container().header().keys);
    const file::Kind kind = parts.front()->head().kind;
    auto& file = static_cast<index::BuiltFile&>(*files);
    const auto merge = kind == file::Kind::filter_set   ? index::merge_filter_set
                       : kind == file::Kind::dictionary ? index::merge_dictionary
                       : kind == file::Kind::delta      ? index::merge_delta
                                                        : index::merge_exact;
    BuildSummary summary = merge(parts, options, frame, file);
    exchange.put_file(output);
    return summary;
  }
  index::Recipe recipe = index::common_plan(parts);
  frame.memory().require(parts.front()->name(), recipe.header.keys,
                         index::merge_memory(recipe.memory), "a merge");
  frame.summary().end_reading_parts(recipe.header.keys);

  context.progress.begin("merge", bytes, Progress::Unit::bytes);
  if (recipe.store) files = std::make_unique<index::StoreOutput>(target, *recipe.store, frame);
  index::FileParts source(parts, recipe, context);
  index::run(recipe, source.sources(), *files, context);
  frame.end_building();
  files->finish(recipe.header, index::with_notes(recipe.metadata, options));
  BuildSummary summary = files->publish(frame, recipe.header, recipe.algorithm);
  exchange.put_file(output);
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
