// SPDX-License-Identifier: Apache-2.0
#include "build/build_frame.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/refuse_option.hpp"
#include "build/kind_builder.hpp"
#include "build/notes.hpp"
#include "crivo/error.hpp"
#include "input/input_parts.hpp"
#include "input/places.hpp"

namespace crivo::index {
namespace {

input::UnitFraming framing_of(const KeyInput& input, Units units) {
  return input::UnitFraming::of(input.format, units != Units::keys);
}

}  // namespace

void check_input(const KeyInput& input, file::Kind kind) {
  const KindBuilder* const row = find_kind_builder(kind);
  if (row != nullptr) check_input(input, row->info.input, "the kind " + std::string(row->name));
}

void check_input(const KeyInput& input, KindInput reads, const std::string& reader) {
  const auto refuse_unless = [&](KindInput who, bool has, const char* field) {
    if (!has || reads == who) return;
    const auto kind = std::ranges::find(kinds(), who, &KindInfo::input);
    base::refuse_option(
        field, "is for the kind " + std::string(kind->name) + " alone, and not for " + reader);
  };
  refuse_unless(KindInput::universe, input.universe != nullptr, "universe");
  refuse_unless(KindInput::groups, !input.groups.empty(), "groups");
  refuse_unless(KindInput::rows, input.format.null_text.has_value(), "null_text");
  if (input.universe) check_input(*input.universe, KindInput::keys, "a universe");
}

input::InputSample sample_of(const KeyInput& input, Units units) {
  return input::sample_input(input, framing_of(input, units));
}

std::optional<input::InputPart> share_of(const KeyInput& input, Units units, std::uint64_t index,
                                         std::uint64_t count) {
  return input::share_of_input(input.paths, framing_of(input, units), index, count);
}

std::filesystem::path temp_directory(const std::filesystem::path& named) {
  if (!named.empty()) return named;
  const char* usual = std::getenv("TMPDIR");
  return usual != nullptr && *usual != '\0' ? usual : "/tmp";
}

file::OutputTarget OutputPlaces::file(const Output& output, const KeyInput& input) const {
  file::OutputTarget target =
      output.write() ? file::OutputTarget::function(output.write(), output.name(), temp_dir_)
                     : file::OutputTarget::file(output.path(), if_exists());
  target.set_progress(options_.resources.progress);
  if (output.write()) return target;
  target.refuse_inputs(input.paths);
  if (input.universe) target.refuse_inputs(input.universe->paths);
  return target;
}

void OutputPlaces::refuse_function(const Output& output) {
  if (output.write())
    throw Error(ErrorKind::usage, "a store is a directory and cannot be written to a function");
}

file::OutputTarget OutputPlaces::directory(const Output& output, std::vector<std::string> members,
                                           const KeyInput& input) const {
  refuse_function(output);
  file::OutputTarget target =
      file::OutputTarget::directory(output.path(), if_exists(), std::move(members));
  target.set_progress(options_.resources.progress);
  target.refuse_inputs(input.paths);
  return target;
}

BuildFrame::BuildFrame(const BuildOptions& options, hashing::HashFamily hash)
    : options_(options),
      hash_(std::move(hash)),
      memory_(options),
      progress_(options.resources.progress != nullptr ? *options.resources.progress
                                                      : own_progress_),
      scratch_(temp_directory(options.resources.temp_dir),
               memory_.budget().scratch_bytes(memory_.budget().bytes), progress_),
      outputs_(options, scratch_.directory()),
      resume_(options, memory_.budget()),
      summary_(options) {
  check_notes(options);
  constexpr std::uint64_t kMostPasses = 4096;
  if (options.passes == 0 || options.passes > kMostPasses)
    throw Error(ErrorKind::usage, "passes: must be 1 to " + std::to_string(kMostPasses));
}

input::HashOptions BuildFrame::hash_options() const {
  return {.seed = options_.seed,
          .duplicates = options_.ignore_duplicates ? input::DuplicatePolicy::ignore
                                                   : input::DuplicatePolicy::refuse,
          .temp_dir = scratch_.directory(),
          .memory_bytes = memory_.key_bytes(),
          .expected_keys = memory_.input().keys,
          .collected = [this](std::uint64_t keys) { memory_.refuse_too_many(keys); },
          .passes = options_.passes,
          .hash = hash_};
}

input::HashOptions BuildFrame::hash_options(const PreparedInput& input, const file::Header& header,
                                            const file::Metadata& choices) {
  input::HashOptions hash = hash_options();
  hash.resume = resume_.keys(*input, header, choices);
  return hash;
}

PreparedInput BuildFrame::prepare(const KeyInput& input, Units units,
                                  std::optional<MemoryNeed> need, std::vector<PhaseCost> phases,
                                  bool keeps_keys) {
  const PreparedInput prepared(input);
  if (input::Sources(input).empty()) return prepared;  // refused where they are read
  MemoryPlan::Input expected{.name = input::input_name(input, 0), .need = need};
  if (units == Units::texts) {
    if (need) memory_.require(expected.name, 0, *need, "a build");
    memory_.expect(std::move(expected));
    std::vector<Progress::Phase> plan;
    plan.reserve(phases.size());
    for (const PhaseCost& phase : phases) plan.push_back({phase.name, phase.nanoseconds});
    progress_.plan(plan);
    return prepared;
  }
  const input::InputSample sample = sample_of(input, units);
  expected.keys = sample.units;
  expected.has_records = units == Units::records;
  if (expected.has_records || keeps_keys) {
    expected.record_bytes = mean_unit_bytes(sample);
    if (need) expected.need = with_records(*need, expected.record_bytes, 0);
  }
  if (expected.has_records) {
    for (const PhaseCost& phase : record_phases(expected.record_bytes)) phases.push_back(phase);
  }
  const ReadCost reading{.unit_bytes = mean_unit_bytes(sample),
                         .compressed = sample.bytes && !sample.units,
                         .record_bytes = expected.record_bytes};
  memory_.expect(std::move(expected));
  progress_.plan(planned_phases(options_, memory_.threads(), reading, phases));
  return prepared;
}

void BuildFrame::end_reading(const input::KeySet& set) {
  const std::uint64_t distinct = set.distinct.value_or(set.keys.size());
  end_reading({.keys = distinct,
               .collected = set.collected - (set.keys.size() - distinct),
               .seed = set.seed,
               .temp_bytes = set.temp_bytes,
               .resumed_bytes = set.resumed_bytes,
               .warnings = set.warnings});
  set_scratch_bytes(memory_.budget().scratch_bytes(set.free_bytes));
}

void BuildFrame::end_building() {
  summary_.end_building();
  progress_.begin("write", 0);
}

UnpublishedSummary BuildFrame::summarize(const file::Header& header, std::string_view algorithm,
                                         const file::ContainerWriter::Written& written) {
  BuildSummary summary = summary_.finish(header, algorithm, written);
  summary.threads = memory_.threads();
  summary.temp_bytes += scratch_.temp_bytes();
  return {*this, std::move(summary)};
}

void BuildFrame::end(BuildSummary& published) noexcept {
  resume_.remove();
  progress_.finish();
  summary_.end_writing(published);
}

BuildSummary UnpublishedSummary::published(file::Warnings warnings) && noexcept {
  file::add_warnings(summary_.warnings, std::move(warnings));
  frame_.end(summary_);
  return std::move(summary_);
}

}  // namespace crivo::index
