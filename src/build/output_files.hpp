// SPDX-License-Identifier: Apache-2.0
/// The files of an index that is being written, whole: its parts are joined.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "build/build_frame.hpp"
#include "build/run.hpp"

namespace crivo::index {

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
