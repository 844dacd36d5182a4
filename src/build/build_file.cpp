// SPDX-License-Identifier: Apache-2.0
#include "build/build_file.hpp"

#include <functional>
#include <string>
#include <utility>

#include "build/built_file.hpp"
#include "build/built_hash.hpp"
#include "build/notes.hpp"
#include "build/run.hpp"
#include "crivo/error.hpp"

namespace crivo::index {

namespace {

using WithSources = std::function<void(const Recipe& recipe, const base::BuildContext& context,
                                       const UseSources& use)>;

/// Throws Error(usage) for options and inputs that this build cannot have.
void check_asked(const KeyInput& input, const FileBuild& build, const BuildOptions& options) {
  check_input(input, build.header.kind);
  if (!build.takes_passes && (options.passes > 1 || !input.command.empty()))
    throw Error(ErrorKind::usage, "only MPHFs, filters and maps are built in passes");
  if (!options.resume_dir.empty() && options.passes > 1)
    throw Error(ErrorKind::usage, "a build in passes cannot be resumed");
}

}  // namespace

BuildSummary build_file(BuildFrame& frame, const KeyInput& input, OutputFiles& files,
                        const FileBuild& build, const BuildOptions& options) {
  check_asked(input, build, options);
  const PreparedInput prepared =
      frame.prepare(input, build.units, build.memory, build.phases, build.keeps_keys);
  file::Header header;  // of the last pass
  std::string structure;
  const auto make = [&](Recipe recipe, std::uint64_t seed, const WithSources& with_sources,
                        const std::function<stream::KeySums()>& sums) {
    recipe.header.seed = seed;
    recipe.header.key_hash = build.header.key_hash;
    const base::BuildContext context = frame.context();
    // Facts found beside the keys are known only afterwards.
    if (frame.summary().expects() && !recipe.found_later)
      frame.summary().require_build(build_id(recipe.header, sums(), recipe.metadata));
    with_sources(recipe, context,
                 [&](const Sources& sources) { run(recipe, sources, files, context); });
    stream::KeySums all = sums();
    if (recipe.found_later) {
      FoundLater later = recipe.found_later();
      all.values += later.sum;
      frame.summary().add(later.temp_bytes, std::move(later.warnings));
    }
    frame.end_building();
    recipe.header.build_id = build_id(recipe.header, all, recipe.metadata);
    files.finish(recipe.header, with_notes(recipe.metadata, options));
    header = recipe.header;
    structure = recipe.algorithm;
  };
  if (build.read_texts) {
    FileBuild::Texts texts = build.read_texts(prepared, frame);
    frame.end_reading(texts.read);
    make(
        std::move(texts.recipe), texts.read.seed,
        [](const Recipe&, const base::BuildContext& context, const UseSources& use) {
          OwnParts parts(context);
          use({.parts = &parts});
        },
        [&] { return texts.sums; });
  } else {
    const input::HashOptions hashing = frame.hash_options(prepared, build.header, build.choices);
    build.read(input, hashing, frame.context(), [&](const input::KeySet& set) {
      frame.end_reading(set);
      if (frame.summary().expects()) {
        // The sums are known when each key was leased: here once more than the build does.
        set.keys.keep_order();
        set.keys.for_each({}, frame.context(), [](const stream::KeySlice&) {});
      }
      make(
          build.plan(set, frame.context()), set.seed,
          [&](const Recipe& recipe, const base::BuildContext& context, const UseSources& use) {
            if (build.with_sources) return build.with_sources(recipe, set, context, use);
            BuiltParts parts(recipe, set.keys, context, Share{}, frame.part_log(set));
            use(parts.sources());
          },
          set.sums);
    });
  }
  return files.publish(frame, header, structure);
}

BuildSummary build_file(const KeyInput& input, const Output& output, const FileBuild& build,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  BuildFrame frame(options, hash);
  BuiltFile file(frame.outputs().file(output, input), output.name());
  return build_file(frame, input, file, build, options);
}

}  // namespace crivo::index
