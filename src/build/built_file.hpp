// SPDX-License-Identifier: Apache-2.0
/// An index file that is being built.
#pragma once

#include <memory>
#include <string>

#include "build/run.hpp"
#include "file/pending_file.hpp"

namespace crivo::index {

/// Adds what was found in the output, but for what the build itself has already said of it.
void add_description(FileInfo found, BuildSummary& summary);

/// Opens the file, which is written and not published, as a lookup would, and adds what its
/// structure says: of a filter also the rate measured. `name` is what messages call it. Throws
/// Error(corrupt).
void describe_built(const file::PendingFile& file, const std::string& name, BuildSummary& summary);

/// The output of every kind but stores.
class BuiltFile final : public OutputFiles {
 public:
  /// Makes the file. `name` is what messages call it. Throws Error(io).
  BuiltFile(const file::OutputTarget& target, std::string name);

  void finish(file::Header header, const file::Metadata& metadata) override;
  /// Opens the file as a lookup would before it is published, for what the summary says of its
  /// structure: of a filter also the rate measured. Throws Error(corrupt): what another process
  /// built may be unsound.
  BuildSummary publish(BuildFrame& frame, const file::Header& header,
                       const std::string& structure) override;

  /// Begins the file as begin() does; called by itself for a file that no recipe is for.
  file::ContainerWriter& begin_index(file::HashTree tree) override;

 private:
  /// There are none: those of a store are StoreOutput's.
  void write_records(const Sources& /*sources*/, const WrittenFunction* /*function*/,
                     const file::Header& /*header*/,
                     const base::BuildContext& /*context*/) override {}

  std::string name_;
  file::PendingFile file_;
  std::unique_ptr<file::ContainerWriter> writer_;
  file::ContainerWriter::Written written_{};
};

}  // namespace crivo::index
