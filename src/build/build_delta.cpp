// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "build/built_hash.hpp"
#include "build/chosen.hpp"
#include "build/notes.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/edit.hpp"
#include "file/section_types.hpp"
#include "input/grouped_keys.hpp"
#include "lookup/chain_file.hpp"
#include "structures/build/build_cost.hpp"
#include "structures/exact/build/delta_builder.hpp"

namespace crivo {
namespace {

std::vector<PhaseCost> delta_phases() {
  return {{"universe", 120}};
}

/// Throws Error(usage) for what this set, or any delta, cannot have.
void check_asked(const std::filesystem::path& set, const exact::LinkedSet& layers,
                 const DeltaOptions& asked) {
  const ExactOptions checked =
      exact::checked({.group_delimiter = asked.group_delimiter, .covers = asked.covers});
  if (checked.grouped && !layers.exact().set->totals().grouped)
    throw Error(ErrorKind::usage, set.string() + ": has no groups", {.remedy = "group_delimiter"});
}

/// The metadata that a build which resumes another's work must share with it, beside the inputs.
file::Metadata resumed_by(const exact::LinkedSet& layers, const DeltaOptions& asked) {
  return {{"state", file::to_hex(layers.state())},
          {"covers", asked.covers},
          {"group_delimiter", asked.group_delimiter}};
}

}  // namespace

BuildSummary build_delta(const std::filesystem::path& set, const KeyInput& members,
                         const KeyInput& universe, const Output& output, const DeltaOptions& asked,
                         const BuildOptions& options) try {
  index::check_input(members, KindInput::keys, "members with a universe beside them");
  index::check_input(universe, KindInput::keys, "a universe");
  const exact::LayeredFile file(exact::open_layered(set, file::Kind::exact, {}), {});
  const exact::LinkedSet& layers = file.linked();
  check_asked(set, layers, asked);
  const bool grouped = layers.exact().set->totals().grouped;
  const file::Header& base = layers.base().header();
  const hashing::HashFamily hash = hashing::hash_family(base.key_hash);
  index::BuildFrame frame(options, hash);
  file::OutputTarget target = frame.outputs().file(output, members);
  target.refuse_inputs(universe.paths);
  target.refuse_inputs({set.string(), layers.base().name()});
  index::BuiltFile built(target, output.name());
  const input::Grouping grouping{grouped, asked.group_delimiter};
  const index::PreparedInput prepared = frame.prepare(
      members, grouped && asked.group_delimiter.empty() ? index::Units::values : index::Units::keys,
      {}, delta_phases());
  file::Header header = layers.next_header();
  const file::Metadata resumed = resumed_by(layers, asked);
  input::HashOptions hashing = frame.hash_options(prepared, header, resumed);
  hashing.seed = base.seed;
  hashing.memory_bytes /= 2;
  std::vector<Warning> warnings;
  std::uint64_t temp_bytes = 0;
  input::hash_grouped_keys(
      members, grouping, hashing, frame.context(), [&](const input::KeySet& keys) {
        index::require_seed(keys, base.seed, members, set);
        frame.end_reading(keys);
        const base::BuildContext context = frame.context();
        const index::UniverseInput all(universe, grouping, hashing::SeededHash(hash, base.seed),
                                       context.scratch,
                                       frame.universe_log(universe, header, resumed));
        const exact::MadeFlips made =
            exact::make_flips(exact::find_flips(keys.keys, all, layers.set(), nullptr,
                                                frame.memory().budget().stream_bytes() / 2,
                                                frame.temp_dir(), context),
                              frame.memory().threads());
        frame.end_building();
        temp_bytes = made.temp_bytes;
        header.keys = made.list.flips;
        warnings = index::warn_of_missing(members, made.missing, asked.strict);
        file::Metadata metadata;
        if (!asked.covers.empty()) metadata["crivo.covers"] = asked.covers;
        built.begin_index(file::HashTree::sha256)
            .begin_section(file::kFlipSection)
            .append(exact::encode_delta(layers.next(made.list)));
        built.finish(header, index::with_notes(metadata, options));
      });
  BuildSummary summary = built.publish(frame, header, "flips");
  summary.temp_bytes += temp_bytes;
  file::add_warnings(summary.warnings, std::move(warnings));
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
