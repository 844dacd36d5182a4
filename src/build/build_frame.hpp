// SPDX-License-Identifier: Apache-2.0
/// What every build does around its structure: options, clock, summary.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "build/build_phases.hpp"
#include "build/memory_need.hpp"
#include "build/part_log.hpp"
#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/input_sample.hpp"
#include "input/resume_directory.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {

/// About what a file takes beside its structures, for estimates.
inline constexpr std::uint64_t kFrameBytes = 4096;

/// What an input consists of.
enum class Units {
  keys,
  values,   ///< keys, each with a number
  records,  ///< keys, each with a record, which is kept as it is read
  texts,    ///< keys that are not hashed, but kept themselves
};

/// What was read of an input.
struct InputRead {
  std::uint64_t keys = 0;           ///< distinct ones
  std::uint64_t collected = 0;      ///< repeats included
  hashing::Seed seed{};             ///< of the hashes
  std::uint64_t temp_bytes = 0;     ///< temporary disk used
  std::uint64_t resumed_bytes = 0;  ///< input::KeySet
  std::vector<Warning> warnings{};
};

/// A look at the beginning of an input of such units.
input::InputSample sample_of(const KeyInput& input, Units units);

/// input::share_of_input() of such units.
std::optional<input::InputPart> share_of(const KeyInput& input, Units units, std::uint64_t index,
                                         std::uint64_t count);

/// `named`, or where that is empty the usual one.
std::filesystem::path temp_directory(const std::filesystem::path& named);

/// The options with their defaults resolved, and the clock of the phases.
class BuildFrame {
 public:
  explicit BuildFrame(const BuildOptions& options, hashing::HashFamily hash = hash_key);

  base::BuildContext context() noexcept { return {threads_, progress_, &scratch_}; }
  input::HashOptions hash_options() const;
  /// The same for a build that may be continued, of a file with this kind and key hash.
  /// Throws Error(usage) for a source that is no file, and what ResumeDirectory does.
  input::HashOptions hash_options(const KeyInput& input, const file::Header& header,
                                  const file::Metadata& choices);
  /// Of such a build, where the hashes of its universe are kept, in a directory of their own; where
  /// a build is not to be continued, nowhere.
  input::HashLogPlace universe_log(const KeyInput& universe, const file::Header& header,
                                   const file::Metadata& choices);
  /// Where the output of the build goes, which is none of its inputs. Throws Error(usage, io).
  file::OutputTarget output_file(const Output& output, const KeyInput& input) const;
  file::OutputTarget output_directory(const Output& output, std::vector<std::string> members,
                                      const KeyInput& input) const;
  /// Throws Error(usage) for what is no directory.
  static void refuse_function(const Output& output);
  const std::filesystem::path& temp_dir() const noexcept { return scratch_.directory(); }

  /// Takes a sample of the input, once, before it is read. Refuses a build that cannot keep to the
  /// budget of memory (that of no `need` is never refused): now, where the number of keys can be
  /// told before (hash_options() will refuse it later otherwise). Then tells the progress what the
  /// build consists of: reading the input, `phases`, and for records those of record_phases(). Of
  /// texts no sample is taken, the need is that of any number, and `phases` are all there are. With
  /// `keeps_keys` the keys themselves are kept, as records are. Throws Error(usage, io).
  void prepare(const KeyInput& input, Units units, std::optional<MemoryNeed> need,
               std::vector<PhaseCost> phases, bool keeps_keys = false);
  const MemoryBudget& budget() const noexcept { return budget_; }
  unsigned threads() const noexcept { return threads_; }
  /// The pieces of a records::RecordSpool for the records of the input, as far as it was looked at,
  /// and what it takes of the budget's stream_bytes(): what hash_options() leaves.
  unsigned spool_bits() const noexcept;
  std::uint64_t spool_bytes() const noexcept;

  /// Throws Error(io), with what it takes, unless `work` ("a build") on so many keys, of the input
  /// called `name`, can keep to the budget.
  void require_memory(const std::string& name, std::uint64_t keys, const MemoryNeed& need,
                      std::string_view work) const;

  /// Adds the warning that what is called `name` has no keys, if it has none and that is not meant.
  void warn_of_no_keys(const std::string& name, std::uint64_t keys,
                       std::vector<Warning>& warnings) const;

  /// What the scratch may have of memory from now on.
  void set_scratch_bytes(std::uint64_t bytes) noexcept { scratch_.set_memory_bytes(bytes); }

  /// Where a build that may be continued keeps the parts that it makes, now that all keys were
  /// read; null for others. `cell_bits` are those of a store's parts. Throws Error(io).
  PartLog* part_log(unsigned cell_bits = 0);

  /// Whether BuildOptions::expected is set.
  bool expects() const noexcept { return options_.expected.has_value(); }
  /// Throws Error(mismatch) if another build id is expected.
  void require_build(const file::ContentId& build_id) const;

  /// Ends the phase of reading, and that of building. The keys' number is known where they are
  /// built from.
  void note_read(const input::KeySet& set);
  void note_read(InputRead read);
  /// The same where there were parts to read, of so many keys in all.
  void note_merged(std::uint64_t keys);
  void note_built();
  /// What building found beside.
  void note_found(std::uint64_t temp_bytes, std::vector<Warning> warnings);
  /// The summary, with all that is common to every build but what note_published() adds. Made
  /// before the output is published: afterwards nothing may fail. Throws what require_build() does.
  BuildSummary summarize(const file::Header& header, std::string_view algorithm,
                         const file::ContainerWriter::Written& written) const;
  /// Ends the phase of writing.
  void note_published(file::Warnings warnings, BuildSummary& summary) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void refuse_too_many(std::uint64_t keys) const;
  /// Throws Error(mismatch) if another number of keys is expected.
  void require_keys(std::uint64_t keys) const;
  /// The seconds since the last call, or since the frame was made.
  double lap() noexcept;
  file::IfExists if_exists() const noexcept {
    return options_.replace ? file::IfExists::replace : file::IfExists::refuse;
  }

  const BuildOptions& options_;
  hashing::HashFamily hash_;
  MemoryBudget budget_;
  unsigned threads_;
  Progress own_progress_;
  Progress& progress_;
  base::Scratch scratch_;
  std::optional<MemoryNeed> need_;
  std::string input_name_;  ///< for messages
  std::optional<std::uint64_t> expected_keys_;
  double record_bytes_ = 0;   ///< of one of the input, with its key
  bool has_records_ = false;  ///< else that is of a key alone
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  BuildSummary summary_;
  std::optional<input::ResumeDirectory> resume_;
  std::optional<input::ResumeDirectory> universe_resume_;
  std::optional<PartLog> part_log_;  ///< of the pass at hand
};

}  // namespace crivo::index
