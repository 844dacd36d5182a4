// SPDX-License-Identifier: Apache-2.0
#include "build/build_frame.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/parallel.hpp"
#include "build/notes.hpp"
#include "input/input_share.hpp"
#include "input/places.hpp"
#include "records/build/record_spool.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {
namespace {

input::UnitFraming framing_of(const KeyInput& input, Units units) {
  return input::UnitFraming::of(input.format, units != Units::keys);
}

}  // namespace

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

BuildFrame::BuildFrame(const BuildOptions& options, hashing::HashFamily hash)
    : options_(options),
      hash_(std::move(hash)),
      // What the kernel says of it takes a tenth of a small build.
      budget_(options,
              options.resources.memory != 0 ? base::AvailableMemory() : base::available_memory()),
      threads_(budget_.threads(base::thread_count(options.resources.threads))),
      progress_(options.resources.progress != nullptr ? *options.resources.progress
                                                      : own_progress_),
      scratch_(temp_directory(options.resources.temp_dir), budget_.scratch_bytes(budget_.bytes),
               progress_) {
  check_notes(options);
}

input::HashOptions BuildFrame::hash_options() const {
  return {.seed = seed_of(options_),
          .duplicates = options_.ignore_duplicates ? input::DuplicatePolicy::ignore
                                                   : input::DuplicatePolicy::refuse,
          .temp_dir = scratch_.directory(),
          .memory_bytes = budget_.stream_bytes() - spool_bytes(),
          .expected_keys = expected_keys_,
          .collected = [this](std::uint64_t keys) { refuse_too_many(keys); },
          .hash = hash_};
}

namespace {

/// All that decides about the bytes of an output beside the keys, as a text.
std::string text_of(const KeyFormat& format, const BuildOptions& options,
                    const file::Header& header, file::Metadata choices) {
  const auto put = [&](const char* name, std::uint64_t value) {
    choices[name] = std::to_string(value);
  };
  put("format_version", std::uint64_t{file::kMajorVersion} << 32 | file::kMinorVersion);
  put("kind", static_cast<std::uint64_t>(header.kind));
  put("key_hash", static_cast<std::uint64_t>(header.key_hash));
  put("seed", options.seed);
  put("seed_high", options.seed_high);
  put("ignore_duplicates", options.ignore_duplicates ? 1 : 0);
  put("framing", static_cast<std::uint64_t>(format.framing));
  put("width", format.width);
  put("strip_cr", format.strip_cr ? 1 : 0);
  put("binary_lines", format.binary_lines ? 1 : 0);
  put("allow_empty", format.allow_empty ? 1 : 0);
  put("key_column", format.key_column);
  put("value_column", format.value_column);
  put("column_delimiter", static_cast<unsigned char>(format.column_delimiter));
  put("quotes", format.quotes ? 1 : 0);
  put("skip_header", format.skip_header ? 1 : 0);
  put("hex", format.hex ? 1 : 0);
  put("max_key_bytes", format.max_key_bytes);
  put("max_line_bytes", format.max_line_bytes);
  choices["key_name"] = format.key_name;
  choices["value_name"] = format.value_name;
  choices["json_key"] = format.json_key;
  choices["json_value"] = format.json_value;
  return std::string(base::as_text(file::encode(choices)));
}

/// Throws Error(usage) for an input that another process could not go on with.
void refuse_source(const KeyInput& input) {
  if (input.source)
    throw Error(ErrorKind::usage, "a build that can be resumed needs files as its input",
                {.remedy = "resume_dir"});
}

/// A part is what a killed build reads again at most: a small share of the input, and no more than
/// memory holds; but large enough that what is written of each of its partitions is read back at a
/// disk's full rate.
std::uint64_t part_bytes(std::uint64_t memory_bytes, std::uint64_t input_bytes) noexcept {
  constexpr std::uint64_t kParts = 16;
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  return std::clamp(std::min(memory_bytes / 4, input_bytes / kParts), kLeast, kMost);
}

}  // namespace

input::HashOptions BuildFrame::hash_options(const KeyInput& input, const file::Header& header,
                                            const file::Metadata& choices) {
  input::HashOptions hash = hash_options();
  if (!options_.resume_dir.empty()) {
    refuse_source(input);
    resume_.emplace(options_.resume_dir, input.paths,
                    text_of(input.format, options_, header, choices),
                    part_bytes(budget_.bytes, input::regular_input_bytes(input).value_or(0)));
    hash.resume = &*resume_;
  }
  return hash;
}

input::HashLogPlace BuildFrame::universe_log(const KeyInput& universe, const file::Header& header,
                                             const file::Metadata& choices) {
  if (options_.resume_dir.empty()) return {};
  refuse_source(universe);
  // A second one of a set that is read again, with another seed.
  universe_resume_.reset();
  universe_resume_.emplace(
      options_.resume_dir / "universe", universe.paths,
      text_of(universe.format, options_, header, choices),
      part_bytes(budget_.bytes, input::regular_input_bytes(universe).value_or(0)));
  return {&*universe_resume_, budget_.stream_bytes() / 4, &summary_.resumed_bytes};
}

PartLog* BuildFrame::part_log(unsigned cell_bits) {
  part_log_.reset();
  if (resume_) part_log_.emplace(resume_->part_log(), resume_->journal_check() + cell_bits);
  return part_log_ ? &*part_log_ : nullptr;
}

double BuildFrame::lap() noexcept {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> seconds = now - std::exchange(last_, now);
  return seconds.count();
}

void BuildFrame::prepare(const KeyInput& input, Units units, std::optional<MemoryNeed> need,
                         std::vector<PhaseCost> phases, bool keeps_keys) {
  if (input::Sources(input).empty()) return;  // refused where they are read
  need_ = need;
  input_name_ = input::input_name(input, 0);
  if (units == Units::texts) {
    if (need) require_memory(input_name_, 0, *need, "a build");
    std::vector<Progress::Phase> plan;
    plan.reserve(phases.size());
    for (const PhaseCost& phase : phases) plan.push_back({phase.name, phase.nanoseconds});
    progress_.plan(plan);
    return;
  }
  const input::InputSample sample = sample_of(input, units);
  expected_keys_ = sample.units;
  if (units == Units::records || keeps_keys) {
    record_bytes_ = mean_unit_bytes(sample);
    has_records_ = units == Units::records;
    if (need_) need_ = with_records(*need_, record_bytes_, 0);
  }
  if (units == Units::records) {
    for (const PhaseCost& phase : record_phases(record_bytes_)) phases.push_back(phase);
  }
  if (sample.units) refuse_too_many(*sample.units);
  progress_.plan(planned_phases(options_, threads_,
                                {.unit_bytes = mean_unit_bytes(sample),
                                 .compressed = sample.bytes && !sample.units,
                                 .record_bytes = record_bytes_},
                                phases));
}

std::uint64_t BuildFrame::spool_bytes() const noexcept {
  const double record = record_bytes_ == 0 ? 0 : records::RecordSpool::held_bytes(record_bytes_);
  const double share = record / (record + sizeof(Hash128));
  // The less the key stream has, the fewer and larger its partitions are, which are leased whole.
  constexpr std::uint64_t kForKeys = std::uint64_t{48} << 20;
  const std::uint64_t all = budget_.stream_bytes();
  return std::min(static_cast<std::uint64_t>(static_cast<double>(all) * share),
                  std::max(all / 2, all - std::min(all, kForKeys)));
}

unsigned BuildFrame::spool_bits() const noexcept {
  constexpr double kPieceBytes = 1 << 18;
  constexpr double kMostPieceBytes = 1 << 20;  // of those beyond kMany
  constexpr unsigned kMany = 12;
  constexpr unsigned kUsual = 10;           // where nothing is known
  constexpr double kPerhapsKeys = 1 << 16;  // of pairs that are longer, the keys may be long, too
  if (!expected_keys_) return kUsual;
  // What is read by pieces is the entries: longer records are far, which keys are not.
  const double entry_bytes = std::min<double>(
      record_bytes_, has_records_ && record_bytes_ < kPerhapsKeys ? records::RecordEntry::kLeastFar
                                                                  : kMaxKeyBytes);
  const double bytes = entry_bytes * static_cast<double>(*expected_keys_);
  unsigned bits = 0;
  while (bits < records::RecordSpool::kMostBits &&
         std::ldexp(bits < kMany ? kPieceBytes : kMostPieceBytes, static_cast<int>(bits)) < bytes)
    ++bits;
  return bits;
}

void BuildFrame::refuse_too_many(std::uint64_t keys) const {
  // Of equal keys that are ignored only the distinct ones count, which nobody knows yet.
  if (!need_ || options_.ignore_duplicates) return;
  require_memory(input_name_, keys, *need_, "a build");
}

void BuildFrame::require_memory(const std::string& name, std::uint64_t keys, const MemoryNeed& need,
                                std::string_view work) const {
  const std::string problem = memory_problem(keys, need, budget_, work);
  if (problem.empty()) return;
  // An option that is at fault comes first.
  throw Error(ErrorKind::io, budget_.was_asked ? problem : name + ": " + problem,
              {.file = name, .remedy = "memory"});
}

void BuildFrame::require_keys(std::uint64_t keys) const {
  const std::optional<ExpectedBuild>& expected = options_.expected;
  if (!expected || keys == expected->keys) return;
  throw Error(ErrorKind::mismatch, "other keys: the input has " + std::to_string(keys) +
                                       " distinct keys, not " + std::to_string(expected->keys));
}

void BuildFrame::require_build(const file::ContentId& build_id) const {
  const std::optional<ExpectedBuild>& expected = options_.expected;
  if (!expected) return;
  const std::string own = file::to_hex(build_id);
  if (own == expected->build_id) return;
  throw Error(ErrorKind::mismatch, "other keys: the input has as many, but their build id is " +
                                       own + ", not " + expected->build_id);
}

void BuildFrame::note_read(const input::KeySet& set) {
  note_read({.keys = set.keys.size(),
             .collected = set.collected,
             .seed = set.seed,
             .temp_bytes = set.temp_bytes,
             .resumed_bytes = set.resumed_bytes,
             .warnings = set.warnings});
  set_scratch_bytes(budget_.scratch_bytes(set.free_bytes));
}

void BuildFrame::note_read(InputRead read) {
  require_keys(read.keys);
  summary_.read_seconds = lap();
  summary_.keys = read.keys;
  summary_.duplicates = read.collected - read.keys;
  summary_.temp_bytes = read.temp_bytes;
  summary_.resumed_bytes = read.resumed_bytes;
  summary_.warnings = std::move(read.warnings);
  // A shard, of which no input was looked at, may well have none.
  if (!input_name_.empty()) warn_of_no_keys(input_name_, read.collected, summary_.warnings);
}

void BuildFrame::warn_of_no_keys(const std::string& name, std::uint64_t keys,
                                 std::vector<Warning>& warnings) const {
  if (keys == 0 && !options_.allow_empty_set)
    warnings.push_back({name + ": the input has no keys", "allow_empty_set"});
}

void BuildFrame::note_merged(std::uint64_t keys) {
  require_keys(keys);
  summary_.read_seconds = lap();
  summary_.keys = keys;
}

file::OutputTarget BuildFrame::output_file(const Output& output, const KeyInput& input) const {
  file::OutputTarget target =
      output.write() ? file::OutputTarget::function(output.write(), output.name(), temp_dir())
                     : file::OutputTarget::file(output.path(), if_exists());
  target.set_progress(options_.resources.progress);
  if (output.write()) return target;
  target.refuse_inputs(input.paths);
  if (input.universe) target.refuse_inputs(input.universe->paths);
  return target;
}

void BuildFrame::refuse_function(const Output& output) {
  if (output.write())
    throw Error(ErrorKind::usage, "a store is a directory and cannot be written to a function");
}

file::OutputTarget BuildFrame::output_directory(const Output& output,
                                                std::vector<std::string> members,
                                                const KeyInput& input) const {
  refuse_function(output);
  file::OutputTarget target =
      file::OutputTarget::directory(output.path(), if_exists(), std::move(members));
  target.set_progress(options_.resources.progress);
  target.refuse_inputs(input.paths);
  return target;
}

void BuildFrame::note_built() {
  summary_.build_seconds = lap();
  progress_.begin("write", 0);
}

void BuildFrame::note_found(std::uint64_t temp_bytes, std::vector<Warning> warnings) {
  summary_.temp_bytes += temp_bytes;
  file::add_warnings(summary_.warnings, std::move(warnings));
}

BuildSummary BuildFrame::summarize(const file::Header& header, std::string_view algorithm,
                                   const file::ContainerWriter::Written& written) const {
  require_build(header.build_id);
  BuildSummary summary = summary_;
  summary.kind = file::kind_name(header.kind);
  summary.algorithm = algorithm;
  summary.bytes = written.bytes;
  summary.seed = header.seed.low;
  summary.seed_high = header.seed.high;
  summary.threads = threads_;
  summary.temp_bytes += scratch_.temp_bytes();
  summary.format_version = file::version_text(file::kMajorVersion, file::kMinorVersion);
  summary.digest = file::to_hex(written.digest);
  return summary;
}

void BuildFrame::note_published(file::Warnings warnings, BuildSummary& summary) noexcept {
  file::add_warnings(summary.warnings, std::move(warnings));
  if (universe_resume_) universe_resume_->remove();
  if (resume_) resume_->remove();
  progress_.finish();
  summary.write_seconds = lap();
  summary.total_seconds = std::chrono::duration<double>(last_ - begin_).count();
}

}  // namespace crivo::index
