// SPDX-License-Identifier: Apache-2.0
/// Runs a recipe: the parts of its sections, built of keys or found in files, become a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "builds/build_frame.hpp"
#include "builds/recipe.hpp"
#include "file/container.hpp"
#include "records/part_body.hpp"
#include "records/record_sample.hpp"
#include "records/stray_records.hpp"
#include "structures/signatures.hpp"

namespace crivo::index {

/// A function in a file that is being written.
struct WrittenFunction {
  WrittenFunction(const mphf::Algorithm& algorithm, file::ContainerWriter& writer)
      : section(writer.map_section()), function(algorithm.open(section.bytes)) {}

  file::ContainerWriter::MappedSection section;
  std::unique_ptr<const mphf::Function> function;  ///< over the section
};

/// The records of a store, in parts.
class RecordParts {
 public:
  virtual ~RecordParts() = default;

  virtual const records::RecordCoding& coding() const noexcept = 0;
  /// Adds all strays.
  virtual void collect_strays(const WrittenFunction& function, records::StrayRecords& strays) = 0;
  /// Calls use(entry) for the entries of the parts, in order, and shows the progress; returns the
  /// bytes of their longest unit, raw.
  using UseEntry = std::function<void(const records::PartEntry& entry)>;
  virtual std::uint64_t for_each_entry(const UseEntry& use) = 0;
  virtual std::uint64_t temp_bytes() const noexcept { return 0; }
};

/// Where the parts of a recipe's steps come from. Each step is asked for once, in order.
class PartSource {
 public:
  virtual ~PartSource() = default;

  /// Begins a phase of the progress, of so many keys, where each step has one of its own.
  virtual void begin_phase(const char* /*phase*/, std::uint64_t /*keys*/) {}
  /// Calls use(part) for all parts of step `index`, in the order of their partitions.
  using UsePart = std::function<void(const PartView& part)>;
  virtual void for_each_part(std::size_t index, const Assembly& assembly, const UsePart& use) = 0;
  /// Writes the section of a step that takes all keys at once.
  virtual void build_whole(const Step& step, base::Sink& sink);
  /// Appends the signatures of the parts of the function, which was the first step.
  virtual void for_each_signatures(const mphf::Function& function, unsigned bits,
                                   const mphf::AppendSignatures& append) = 0;
  /// Of a store, when its function is written.
  virtual RecordParts& records();
};

/// The files of a build, which get their names when they are whole.
class OutputFiles {
 public:
  virtual ~OutputFiles() = default;

  /// Begins the index file, again if it was begun before.
  virtual file::ContainerWriter& begin() = 0;
  /// Writes the records of a store beside its function, and sets the content id of `header`, which
  /// has the number of keys and the seed. Throws Error(bad_input) if there are not as many records
  /// as keys, and what the files throw.
  virtual void write_records(RecordParts& records, const WrittenFunction& function,
                             const base::BuildContext& context, file::Header& header);
  /// Ends the index file.
  virtual void finish(const file::Header& header, const file::Metadata& metadata) = 0;
  /// Gives the files their names. `structure` is the recipe's algorithm. Call last.
  virtual BuildSummary publish(BuildFrame& frame, const file::Header& header,
                               const std::string& structure) = 0;
};

/// Writes the sections of all steps, and the records. `header` is as the file will have it, but for
/// its content id. Steps whose part is done give back their memory.
void run(Recipe& recipe, PartSource& source, OutputFiles& files, const base::BuildContext& context,
         file::Header& header);

}  // namespace crivo::index
