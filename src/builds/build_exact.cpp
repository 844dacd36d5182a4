// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "builds/build_frame.hpp"
#include "builds/build_id.hpp"
#include "builds/builds.hpp"
#include "builds/built_file.hpp"
#include "builds/notes.hpp"
#include "file/section_types.hpp"
#include "input/grouped_keys.hpp"
#include "input/places.hpp"
#include "opening/choices.hpp"
#include "opening/exact_file.hpp"
#include "opening/key_hash.hpp"
#include "structures/exact/builder.hpp"

namespace crivo {
namespace {

using input::Grouping;

const KeyInput& universe_of(const KeyInput& input) {
  if (!input.universe) {
    throw Error(ErrorKind::usage, "an exact set needs the keys that it is to answer for",
                {.remedy = "universe"});
  }
  return *input.universe;
}

/// The universe of an input, as the structure wants it.
class InputUniverse final : public exact::UniverseKeys {
 public:
  InputUniverse(const KeyInput& universe, const Grouping& grouping, hashing::SeededHash hash,
                base::Scratch* scratch)
      : keys_(universe, grouping, std::move(hash), scratch) {}

  void for_each(const base::BuildContext& context, const Visit& visit) const override {
    keys_.for_each(context, visit);
  }

 private:
  mutable input::RepeatedInput keys_;
};

/// The sections of a file that is being written.
class FileSections final : public exact::SectionOutput {
 public:
  explicit FileSections(file::ContainerWriter& writer) : writer_(writer) {}

  base::Sink& begin_filter(unsigned tag) override {
    return writer_.begin_section(file::kRibbonSection, tag);
  }
  base::ByteView written_filter() override {
    mapped_.push_back(writer_.map_section());
    return mapped_.back().bytes;
  }
  base::Sink& begin_bit() override { return writer_.begin_section(file::kRibbonFunctionSection); }
  base::Sink& begin_groups() override { return writer_.begin_section(file::kGroupSection); }

 private:
  file::ContainerWriter& writer_;
  std::vector<file::ContainerWriter::MappedSection> mapped_;
};

exact::Parameters parameters_of(const ExactOptions& options, const index::BuildFrame& frame) {
  return {.grouped = options.grouped,
          .outside_rate = options.fpr,
          .memory_bytes = frame.budget().stream_bytes() / 2,
          .temp_dir = frame.temp_dir()};
}

std::vector<PhaseCost> phases() {
  return {{"universe", 60}, {"build", 80}};
}

/// As many as there are, in words.
std::string count_of(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// What is said of members that the universe lacks. Throws it if `strict`.
std::vector<Warning> warn_of_missing(const KeyInput& members, std::uint64_t missing, bool strict) {
  if (missing == 0) return {};
  const std::string name = input::input_name(members, 0);
  const std::string problem =
      name + ": " + count_of(missing, "member is", "members are") + " not in the universe";
  if (strict) throw Error(ErrorKind::bad_input, problem, {.file = name});
  return {{problem, {}}};
}

}  // namespace

namespace index {

BuildSummary build_exact(const KeyInput& input, const Output& output, const ExactOptions& asked,
                         const BuildOptions& options, const hashing::HashFamily& hash) {
  const ExactOptions exact = exact::checked(asked);
  const KeyInput& universe = universe_of(input);
  BuildFrame frame(options, hash);
  if (!options.resume_dir.empty())
    throw Error(ErrorKind::usage, "the build of an exact set cannot be resumed",
                {.remedy = "resume_dir"});
  file::OutputTarget target = frame.output_file(output, input);
  target.refuse_inputs(universe.paths);
  BuiltFile file(target, output.name());

  const Grouping grouping{exact.grouped, exact.group_delimiter};
  frame.prepare(input, exact.grouped && exact.group_delimiter.empty() ? Units::values : Units::keys,
                exact_memory(exact), phases());
  file::Header header;
  header.kind = file::Kind::exact;
  header.key_hash = built_hash(hashing::KeyHash::xxh3, options);
  exact::Built built;
  std::vector<Warning> warnings;
  input::HashOptions hashing = frame.hash_options();
  hashing.memory_bytes /= 2;  // the rest is for what passes the filters
  input::hash_grouped_keys(
      input, grouping, hashing, frame.context(), [&](const input::KeySet& set) {
        frame.note_read(set);
        FileSections sections(file.begin_index());
        const base::BuildContext context = frame.context();
        const InputUniverse keys(universe, grouping, hashing::SeededHash(hash, set.seed),
                                 context.scratch);
        built = exact::build(set.keys, keys, parameters_of(exact, frame), context, sections);
        frame.note_built();
        header.keys = set.keys.size();
        header.seed = set.seed;
        const file::Metadata metadata = metadata_of(exact);
        stream::KeySums sums = set.sums();
        sums.values += built.universe_sum;
        header.build_id = build_id(header, sums, metadata);
        warnings = warn_of_missing(input, built.missing, exact.strict);
        file.finish(header, with_notes(metadata, options));
      });

  BuildSummary summary = file.publish(frame, header, exact.algorithm);
  summary.temp_bytes += built.temp_bytes;
  file::add_warnings(summary.warnings, std::move(warnings));
  return summary;
}

}  // namespace index

BuildSummary build_exact(const KeyInput& members, const KeyInput& universe, const Output& output,
                         const ExactOptions& exact, const BuildOptions& options) try {
  KeyInput input = members;
  input.universe = std::make_shared<const KeyInput>(universe);
  return build_exact(input, output, exact, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_exact(const KeyInput& input, const Output& output, const ExactOptions& exact,
                         const BuildOptions& options) try {
  return index::build_exact(
      input, output, exact, options,
      hashing::hash_family(index::built_hash(hashing::KeyHash::xxh3, options)));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_exact(const KeyInput& input, const ExactOptions& asked,
                             const BuildOptions& options) try {
  const auto begin = std::chrono::steady_clock::now();
  const ExactOptions exact = exact::checked(asked);
  const KeyInput& universe = universe_of(input);
  const hashing::HashFamily hash =
      hashing::hash_family(index::built_hash(hashing::KeyHash::xxh3, options));
  index::BuildFrame frame(options, hash);
  const Grouping grouping{exact.grouped, exact.group_delimiter};
  input::HashOptions hashing = frame.hash_options();
  hashing.memory_bytes /= 2;
  BuildEstimate estimate;
  input::hash_grouped_keys(
      input, grouping, hashing, frame.context(), [&](const input::KeySet& set) {
        const base::BuildContext context = frame.context();
        const InputUniverse keys(universe, grouping, hashing::SeededHash(hash, set.seed),
                                 context.scratch);
        const exact::Planned planned =
            exact::plan(set.keys, keys, parameters_of(exact, frame), context);
        estimate.keys = set.keys.size();
        estimate.output_bytes = planned.bytes + 4096;
        const index::MemoryNeed need = index::exact_memory(exact);
        estimate.memory_bytes =
            need.peak(planned.passing + set.keys.size(), frame.threads(), frame.budget());
        estimate.minimum_memory_bytes = need.least(set.keys.size());
        estimate.temp_bytes = need.spilled(planned.passing + set.keys.size(), frame.budget());
        if (!input::regular_input_bytes(universe)) estimate.temp_bytes += 24 * planned.universe;
        estimate.partitions = std::uint64_t{1} << stream::partition_bits_for(set.keys.size());
        const std::chrono::duration<double> read = std::chrono::steady_clock::now() - begin;
        estimate.seconds =
            2 * read.count() + static_cast<double>(planned.passing + set.keys.size()) * 150e-9;
      });
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
