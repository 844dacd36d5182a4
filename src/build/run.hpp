// SPDX-License-Identifier: Apache-2.0
/// Runs a recipe: the parts of its sections, built of keys or found in files, become a whole file,
/// a part, or a manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/spool.hpp"
#include "build/build_frame.hpp"
#include "build/part_log.hpp"
#include "build/recipe.hpp"
#include "crivo/build/shards.hpp"
#include "file/container.hpp"
#include "lookup/rank_index.hpp"
#include "records/build/bumped_records.hpp"
#include "records/build/part_body.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/record_sample.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/signatures.hpp"

namespace crivo::index {

/// A function in a file that is being written.
struct WrittenFunction {
  WrittenFunction(const mphf::Builder& algorithm, file::ContainerWriter& writer)
      : section(writer.map_section()), function(algorithm.algorithm().open(section.bytes)) {}

  file::ContainerWriter::MappedSection section;
  std::unique_ptr<const mphf::Function> function;  ///< over the section
};

/// The records of a store, in parts.
class RecordParts {
 public:
  virtual ~RecordParts() = default;

  virtual const records::RecordCoding& coding() const noexcept = 0;
  /// Adds all bumped keys.
  virtual void collect_bumped(const WrittenFunction& function, records::BumpedRecords& bumped) = 0;
  /// Calls use(entry) for the entries of the parts, in order, and shows the progress; returns the
  /// bytes of their longest unit, raw.
  using UseEntry = std::function<void(const records::PartEntry& entry)>;
  virtual std::uint64_t for_each_entry(const UseEntry& use) = 0;
  virtual std::uint64_t temp_bytes() const noexcept { return 0; }
};

/// The records of an ordered store, each of another key.
class RecordsInOrder {
 public:
  virtual ~RecordsInOrder() = default;

  virtual const records::RecordCoding& coding() const noexcept = 0;
  /// Calls use(record) for all, in the order of their keys, and shows the progress.
  virtual void for_each(const std::function<void(const records::HalvedRecord& record)>& use) = 0;
  virtual std::uint64_t temp_bytes() const noexcept = 0;
};

/// A part as its source gives it.
struct MadePart {
  std::uint64_t partitions = 0;  ///< so many, the next ones
  PartView part{};
  base::ByteView signatures{};  ///< Part::signatures
  static constexpr std::size_t kNoFile = SIZE_MAX;
  std::size_t file = 0;   ///< of several files that parts lie in, the number of its own
  Part* built = nullptr;  ///< the same, where it was built just now
};

/// Where the parts of a recipe's steps come from. Each step is asked for once, in order.
class PartSource {
 public:
  virtual ~PartSource() = default;

  /// Begins the phase of a step, of all its keys, where each step has one of its own.
  virtual void begin_phase(const Step& /*step*/) {}
  /// Calls use(part) for all parts of step `index` of the recipe, in the order of their partitions.
  using UsePart = std::function<void(const MadePart& part)>;
  virtual void for_each_part(std::size_t index, const Step& step, const UsePart& use) = 0;
};

/// All keys, for a step that takes them at once.
class WholeSource {
 public:
  virtual ~WholeSource() = default;

  /// Writes the section.
  virtual void build_whole(const StepOfAll& step, base::Sink& sink) = 0;
};

/// The signatures of the parts of the function, which was the first step.
class SignatureSource {
 public:
  virtual ~SignatureSource() = default;

  virtual void for_each_signatures(const mphf::Function& function, unsigned bits,
                                   const mphf::AppendSignatures& append) = 0;
};

/// The sources that a recipe is carried out with; null those that its steps do not ask for.
struct Sources {
  PartSource* parts = nullptr;
  WholeSource* whole = nullptr;
  SignatureSource* signatures = nullptr;
  RecordParts* records = nullptr;      ///< of a store, when its function is written
  RecordsInOrder* in_order = nullptr;  ///< of a store that has no function
};

/// The parts of a recipe in which other steps choose their keys.
class OwnParts final : public PartSource {
 public:
  /// `context` is copied: what it refers to must outlive this.
  explicit OwnParts(const base::BuildContext& context) : context_(context) {}

  void begin_phase(const Step& step) override;
  void for_each_part(std::size_t index, const Step& step, const UsePart& use) override;

 private:
  base::BuildContext context_;
};

/// Takes the parts, and makes the sections of them.
class StepSink {
 public:
  virtual ~StepSink() = default;

  /// Begins a recipe that outlives the run, as does what the context refers to.
  virtual void begin(const Recipe& recipe, const base::BuildContext& context) = 0;
  /// Begins the section of step `index`, of keys; its sink is for a step that has no parts.
  virtual base::Sink& begin_step(std::size_t index) = 0;
  virtual void add(const MadePart& part) = 0;
  virtual void end_step() = 0;
  /// Begins a section of a step that writes sections of its own.
  virtual base::Sink& begin_section(std::uint32_t type, std::uint64_t tag) = 0;
  virtual void add_signatures(const Step& step, unsigned bits, const Sources& sources) = 0;
  virtual void add_records(const Sources& sources) = 0;
};

/// Has `sink` make of what is in `sources` what the recipe says. Steps that are done give back
/// their memory.
void run(Recipe& recipe, const Sources& sources, StepSink& sink, const base::BuildContext& context);

class BuiltParts : public PartSource, public WholeSource, public SignatureSource {
 public:
  /// The parts of a shard, or all. `keys`, what the context refers to and the log outlive this.
  /// Parts that are in the log, if there is one, are not built again; the others are added.
  BuiltParts(const Recipe& recipe, const stream::HashSource& keys,
             const base::BuildContext& context, const Share& shard = {0, 1},
             PartLog* log = nullptr);

  void begin_phase(const Step& step) override;
  void for_each_part(std::size_t index, const Step& step, const UsePart& use) override;
  void build_whole(const StepOfAll& step, base::Sink& sink) override;
  void for_each_signatures(const mphf::Function& function, unsigned bits,
                           const mphf::AppendSignatures& append) override;
  Sources sources() noexcept { return {.parts = this, .whole = this, .signatures = this}; }

 protected:
  const stream::HashSource& keys() const noexcept { return keys_; }
  const base::BuildContext& context() const noexcept { return context_; }
  /// Is shown each part, once it is in use: keeps its signatures for for_each_signatures().
  virtual void note_part(const Part& part) { signatures_.append(part.signatures); }
  /// Is told that there are no parts.
  virtual void note_whole() {}

 private:
  const stream::HashSource& keys_of(const Step& step) const noexcept {
    const auto* const parts = std::get_if<StepInParts>(&step.form);
    return parts != nullptr && parts->keys != nullptr ? *parts->keys : keys_;
  }

  const stream::HashSource& keys_;
  base::BuildContext context_;
  Share shard_;
  PartLog* log_;
  base::Spool signatures_;  ///< of the parts, in order
  bool is_whole_ = false;   ///< the function was not made in parts
};

/// They get their names when they are whole.
class OutputFiles : public StepSink {
 public:
  /// Begins the files, again if they were begun before.
  void begin(const Recipe& recipe, const base::BuildContext& context) final;
  base::Sink& begin_step(std::size_t index) final;
  void add(const MadePart& part) final;
  void end_step() final;
  base::Sink& begin_section(std::uint32_t type, std::uint64_t tag) final;
  void add_signatures(const Step& step, unsigned bits, const Sources& sources) final;
  void add_records(const Sources& sources) final;

  /// Ends the index file. The header is that of the recipe, with the build id.
  virtual void finish(file::Header header, const file::Metadata& metadata) = 0;
  /// Gives the files their names. `structure` is the recipe's algorithm. Call last.
  virtual BuildSummary publish(BuildFrame& frame, const file::Header& header,
                               const std::string& structure) = 0;

 private:
  virtual file::ContainerWriter& begin_index(file::HashTree tree) = 0;
  /// Writes the records of a store beside its function, or with null the dictionary in its place,
  /// too. Throws Error(bad_input) if there are not as many as keys, and what the files throw.
  virtual void write_records(const Sources& sources, const WrittenFunction* function,
                             const file::Header& header, const base::BuildContext& context) = 0;

  const Recipe* recipe_ = nullptr;
  const base::BuildContext* context_ = nullptr;
  file::ContainerWriter* writer_ = nullptr;
  std::size_t step_ = 0;
  base::Sink* section_ = nullptr;  ///< of the step
  std::unique_ptr<WrittenFunction> function_;
  std::vector<file::ContainerWriter::MappedSection> asked_;  ///< that steps were told of
};

}  // namespace crivo::index
