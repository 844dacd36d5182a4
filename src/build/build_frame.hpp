// SPDX-License-Identifier: Apache-2.0
/// The frame of every build around its structure, put together of parts with one purpose each:
/// memory (MemoryPlan), outputs (OutputPlaces), going on after a kill (ResumePlaces), clock and
/// summary (SummaryDraft).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "build/build_phases.hpp"
#include "build/memory_need.hpp"
#include "build/part_log.hpp"
#include "build/summary_draft.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/kinds.hpp"
#include "file/container.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/input_sample.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {

/// About what a file takes beside its structures, for estimates.
inline constexpr std::uint64_t kFrameBytes = 4096;

/// Tells what an input consists of.
enum class Units {
  keys,
  values,   ///< keys, each with a number
  records,  ///< keys, each with a record, which is kept as it is read
  texts,    ///< keys that are not hashed, but kept themselves
};

/// Throws Error(usage) for what an input has that only another kind reads: KeyInput::universe and
/// groups, KeyFormat::null_text. All that is built, estimated or dealt out passes here.
void check_input(const KeyInput& input, file::Kind kind);
/// The same of an input that `reader` reads so.
void check_input(const KeyInput& input, KindInput reads, const std::string& reader);

/// A look at the beginning of an input of such units.
input::InputSample sample_of(const KeyInput& input, Units units);

/// input::share_of_input() of such units.
std::optional<input::InputPart> share_of(const KeyInput& input, Units units, std::uint64_t index,
                                         std::uint64_t count);

/// `named`, or where that is empty the usual one.
std::filesystem::path temp_directory(const std::filesystem::path& named);

/// Where the output of a build goes, which is none of its inputs.
class OutputPlaces {
 public:
  /// `options` outlive this. `temp_dir` is for what is written to a function.
  OutputPlaces(const BuildOptions& options, std::filesystem::path temp_dir)
      : options_(options), temp_dir_(std::move(temp_dir)) {}

  /// Both throw Error(usage, io).
  file::OutputTarget file(const Output& output, const KeyInput& input) const;
  file::OutputTarget directory(const Output& output, std::vector<std::string> members,
                               const KeyInput& input) const;
  /// Throws Error(usage) for what is no directory.
  static void refuse_function(const Output& output);

 private:
  file::IfExists if_exists() const noexcept {
    return options_.replace ? file::IfExists::replace : file::IfExists::refuse;
  }

  const BuildOptions& options_;
  std::filesystem::path temp_dir_;
};

class UnpublishedSummary;

/// An input that a build has taken a look at: how its keys are hashed depends on what was seen.
class PreparedInput {
 public:
  /// One of which nothing will be read.
  static PreparedInput unread(const KeyInput& input) noexcept { return PreparedInput(input); }

  const KeyInput& operator*() const noexcept { return *input_; }

 private:
  friend class BuildFrame;
  explicit PreparedInput(const KeyInput& input) noexcept : input_(&input) {}

  const KeyInput* input_;
};

/// The options with their defaults resolved, and what a build divides, keeps and reports.
class BuildFrame {
 public:
  explicit BuildFrame(const BuildOptions& options, hashing::HashFamily hash = hash_key);

  base::BuildContext context() noexcept { return {memory_.threads(), progress_, &scratch_}; }
  const MemoryPlan& memory() const noexcept { return memory_; }
  const OutputPlaces& outputs() const noexcept { return outputs_; }
  SummaryDraft& summary() noexcept { return summary_; }
  const std::filesystem::path& temp_dir() const noexcept { return scratch_.directory(); }

  /// Takes a sample of the input, once, before it is read. Refuses a build that cannot keep to the
  /// budget of memory (that of no `need` is never refused): now, where the number of keys can be
  /// told before (else the hashing refuses it, once they are counted). Then tells the progress what
  /// the build consists of: reading the input, `phases`, and for records those of record_phases().
  /// Texts are not sampled: their need is that of any number, and `phases` are all there are. With
  /// `keeps_keys` the keys themselves are kept, as records are. Throws Error(usage, io).
  PreparedInput prepare(const KeyInput& input, Units units, std::optional<MemoryNeed> need,
                        std::vector<PhaseCost> phases, bool keeps_keys = false);

  /// How keys are hashed, in the memory that is left for them. Those of a build that may be
  /// continued are of a file with this kind and key hash; throws what ResumePlaces::keys() does.
  input::HashOptions hash_options() const;
  input::HashOptions hash_options(const PreparedInput& input, const file::Header& header,
                                  const file::Metadata& choices);
  /// ResumePlaces::universe() and parts().
  input::HashLogPlace universe_log(const KeyInput& universe, const file::Header& header,
                                   const file::Metadata& choices) {
    return resume_.universe(universe, header, choices, summary_.resumed_bytes());
  }
  PartLog* part_log(const input::KeySet& keys, unsigned cell_bits = 0) {
    return resume_.parts(keys, cell_bits);
  }

  /// Sets what the scratch may have of memory from now on.
  void set_scratch_bytes(std::uint64_t bytes) noexcept { scratch_.set_memory_bytes(bytes); }

  /// Ends the phase of reading, and that of building. The number of keys is known where they are
  /// built from.
  void end_reading(const input::KeySet& set);
  void end_reading(InputRead read) { summary_.end_reading(std::move(read), memory_.input().name); }
  void end_building();
  /// The summary of the file. Made before the output is published: afterwards nothing may fail.
  /// Throws what SummaryDraft::finish() does.
  UnpublishedSummary summarize(const file::Header& header, std::string_view algorithm,
                               const file::ContainerWriter::Written& written);
  /// Ends the phase of writing, in what UnpublishedSummary or another summary says of it: the
  /// output has its name, and what was kept for going on is removed.
  void end(BuildSummary& published) noexcept;

 private:
  const BuildOptions& options_;
  hashing::HashFamily hash_;
  MemoryPlan memory_;
  Progress own_progress_;
  Progress& progress_;
  base::Scratch scratch_;
  OutputPlaces outputs_;
  ResumePlaces resume_;
  SummaryDraft summary_;
};

/// A summary that nobody gets before the output has its name.
class UnpublishedSummary {
 public:
  UnpublishedSummary(BuildFrame& frame, BuildSummary summary)
      : frame_(frame), summary_(std::move(summary)) {}

  /// To add what a kind knows of it.
  BuildSummary& operator*() noexcept { return summary_; }
  BuildSummary* operator->() noexcept { return &summary_; }
  /// `warnings` are those of the publication.
  BuildSummary published(file::Warnings warnings) && noexcept;

 private:
  BuildFrame& frame_;
  BuildSummary summary_;
};

}  // namespace crivo::index
