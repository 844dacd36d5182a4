// SPDX-License-Identifier: Apache-2.0
#include "builds/build_file.hpp"

#include <string>

#include "builds/build_id.hpp"
#include "builds/built_file.hpp"
#include "builds/built_parts.hpp"
#include "builds/notes.hpp"

namespace crivo::index {

BuildSummary build_file(BuildFrame& frame, const KeyInput& input, OutputFiles& files,
                        const FileBuild& build, const BuildOptions& options) {
  frame.prepare(input, build.units, build.memory, build.phases);
  file::Header header = build.header;
  const input::HashOptions hashing = frame.hash_options(input, header, build.choices);
  std::string structure;
  build.read(input, hashing, frame.context(), [&](const input::KeySet& set) {
    frame.note_read(set);
    const base::BuildContext context = frame.context();
    Recipe recipe = build.plan(set, context);
    recipe.header.seed = set.seed;
    recipe.header.key_hash = header.key_hash;
    header = recipe.header;
    const std::unique_ptr<PartSource> parts =
        build.make_parts ? build.make_parts(recipe, set, context)
                         : std::make_unique<BuiltParts>(recipe, set.keys, context);
    structure = recipe.algorithm;
    run(recipe, *parts, files, context);
    frame.note_built();
    header.build_id = build_id(header, set.sums(), recipe.metadata);
    files.finish(header, with_notes(recipe.metadata, options));
  });
  return files.publish(frame, header, structure);
}

BuildSummary build_file(const KeyInput& input, const Output& output, const FileBuild& build,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  BuildFrame frame(options, hash);
  BuiltFile file(frame.output_file(output, input), output.name());
  return build_file(frame, input, file, build, options);
}

}  // namespace crivo::index
